package import SensorModel
import Sessions
import Transport

/// Erasure of sessions: they leave memory first, and their devices are turned away. After the
/// erasure a device may return and begin the session anew.
extension PipelineCore {
    /// - Parameter sessions: Sessions and their devices.
    /// - Returns: The newest record, which may be of one of these sessions.
    package func beginErasing(_ sessions: [SessionID: DeviceID]) -> RecordOffset {
        for (session, device) in sessions {
            erasures[session, default: 0] += 1
            if let connection = flow.forget(session, of: device) {
                send(.close(connection, .goingAway), to: connection)
            }
        }
        flush()
        return flow.cursor.offset
    }

    /// Ends ``beginErasing(_:)`` once everything up to its result is written. A device that
    /// returned earlier would send again the frames whose records still wait in memory.
    package func endErasing(_ sessions: [SessionID: DeviceID]) {
        for session in sessions.keys {
            let left = erasures[session, default: 1] - 1
            erasures[session] = left > 0 ? left : nil
        }
    }

    package func isErasing(_ session: SessionID) -> Bool { erasures[session] != nil }
}
