import Processing
import SegmentLog
package import SensorModel
import Sharing

extension SessionFlow {
    /// Handles a change of a device's profile by its owner: live sessions continue with the new
    /// one.
    package func profileChanged(of device: DeviceID) {
        settings.add(.profile, of: device)
        followSettings()
    }

    /// Handles a new or removed course: live sessions follow it from here on.
    package func courseChanged(of device: DeviceID) {
        settings.add(.course, of: device)
        followSettings()
    }

    /// Lets the sessions of one device follow its newest settings, if a change is due.
    func followSettings() {
        guard log.hasRoom, let (device, kinds) = settings.takeDue(at: now) else { return }
        if kinds.contains(.profile) { followProfile(device) }
        guard kinds.contains(.course) else { return }
        for live in sessions.of(device) { followCourse(live) }
    }

    /// Time at which ``followSettings()`` has work; `nil`: none until a setting changes.
    var nextSettings: Timestamp? {
        guard let next = settings.nextDeadline(at: now) else { return nil }
        return log.hasRoom ? next : max(next, now.advanced(byMicroseconds: Self.roomMicroseconds))
    }

    private func followProfile(_ device: DeviceID) {
        for live in sessions.of(device) where !live.hasEnded {
            let profile = profile(of: live)
            let head = SessionHead(
                session: live.id, device: device, arrivalTime: now, recorded: live.isRecorded,
                profile: profile, algorithmVersion: SessionPipeline.algorithmVersion)
            recorder.record(profile: head, of: live, arrival: now)
        }
    }

    /// The profile with the zones of the session's day: a recording's own day, else today, because
    /// a device's clock may not be set yet.
    func profile(of live: LiveSession) -> RunnerProfile {
        callbacks.profile(live.device, live.isRecorded ? live.lastDeviceTime : now)
    }

    /// Lets a live session follow its device's course, one value that all live sessions share. An
    /// ended session keeps its own course.
    func followCourse(_ live: LiveSession) {
        let route = callbacks.course(live.device)
        if !live.hasEnded { recorder.follow(route, live, arrival: now) }
        let own = live.computation?.processors.pipeline.route
        live.routeBytes = own === route ? 0 : own?.bytes ?? 0
        live.noteSummary()
    }

    /// Handles a change of privacy settings: everything shown so far is invalid, and viewers start
    /// again.
    package func privacyChanged(of device: DeviceID) {
        hub.privacyChanged(of: device)
        for live in sessions.of(device) {
            _ = sessions.remove(live.id)
            _ = known(live.id, isRecorded: live.isRecorded)
        }
    }
}
