import Processing
package import SensorModel
import Sharing

extension SessionFlow {
    /// Handles a change of a device's profile by its owner: live sessions continue with the new
    /// one.
    package func profileChanged(of device: DeviceID) {
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

    /// Handles a new or removed course: live sessions follow it from here on.
    package func courseChanged(of device: DeviceID, to course: Course?) {
        for live in sessions.of(device) where !live.hasEnded {
            recorder.record(course: course, of: live, arrival: now)
        }
    }

    /// Handles a change of privacy settings: everything shown so far is invalid, and viewers start
    /// again.
    package func privacyChanged(of device: DeviceID) {
        for share in hub.directory.shares(of: device) {
            hub.close(share.key, code: .restarting)
        }
        for live in sessions.of(device) {
            _ = sessions.remove(live.id)
            _ = known(live.id, isRecorded: live.isRecorded)
        }
    }
}
