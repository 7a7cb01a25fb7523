import Processing
package import SensorModel
import Sharing

extension SessionFlow {
    /// The owner changed a device's profile: its live sessions go on with the new one.
    package func profileChanged(of device: DeviceID) {
        for live in sessions.of(device) where !live.hasEnded {
            let profile = profile(of: live)
            let head = SessionHead(
                session: live.id, device: device, arrivalTime: now, recorded: live.isRecorded,
                profile: profile, algorithmVersion: SessionPipeline.algorithmVersion)
            recorder.record(profile: head, of: live, arrival: now)
        }
    }

    /// With the zones of its day: a recording's is its own, a device's clock may not be set yet.
    func profile(of live: LiveSession) -> RunnerProfile {
        outlets.profile(live.device, live.isRecorded ? live.lastDeviceTime : now)
    }

    /// The owner sent another course, or took it away: live sessions follow it from here on.
    package func courseChanged(of device: DeviceID, to course: Course?) {
        for live in sessions.of(device) where !live.hasEnded {
            recorder.record(course: course, of: live, arrival: now)
        }
    }

    /// What may be shown changed: nothing shown so far counts, viewers start anew.
    package func privacyChanged(of device: DeviceID) {
        for share in board.directory.shares(of: device) {
            board.close(share.key, code: .restarting)
        }
        for live in sessions.of(device) {
            _ = sessions.remove(live.id)
            _ = known(live.id, isRecorded: live.isRecorded)
        }
    }
}
