package import SensorModel
import Sessions
import Transport

/// Sessions that are being erased: they leave memory first, and their devices are turned away. A
/// device may come back after the erasure, to a session that begins anew.
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

    /// Ends what ``beginErasing(_:)`` began, once everything up to its result is written: a device
    /// that came back earlier would send again what still waits in memory.
    package func endErasing(_ sessions: [SessionID: DeviceID]) {
        for session in sessions.keys {
            let left = erasures[session, default: 1] - 1
            erasures[session] = left > 0 ? left : nil
        }
    }

    package func isErasing(_ session: SessionID) -> Bool { erasures[session] != nil }
}
