package import Ingest
package import SensorModel

/// Limits on the sessions that a device may begin and the bytes that it may send.
extension SessionFlow {
    /// Log bytes that a device's quota must have regained before the device is admitted again, so
    /// that it does not reconnect for every frame.
    private static let bytesRegained = Double(1 << 20)
    /// Maximum number of remembered connections, so that each is disconnected once.
    private static let disconnectedMax = 1024

    /// Opens a session's connection after its hello was accepted.
    ///
    /// - Returns: The answer, and the connection to close.
    package func open(
        _ connection: ConnectionID, device: DeviceID, session: SessionID, recorded: Bool,
        arrival: Timestamp
    ) -> OpenDecision {
        restore(session)
        let isNew = table.recovery(of: session) == nil && begun[session] == nil
        guard logPace.hasRoom(device, for: Self.bytesRegained, at: arrival),
            !isNew || mayBegin(device, at: arrival)
        else { return .crowded }
        let decision = table.open(
            connection, device: device, session: session, recorded: recorded)
        if case .opened = decision, let live = known(session, isRecorded: recorded) {
            let over = live.lastArrival.advanced(byMicroseconds: silenceMicroseconds)
            if over <= arrival {
                if live.overAt == nil { live.noteOver(at: over) }
                // Its frames may follow. A device that only connects postpones no other end.
                live.lastArrival = arrival
            }
            live.hasReconnected = true
            noteContinuation(live)
        }
        return decision
    }

    /// Applies a changed limit of the log's size.
    package func limitLog(mebibytesPerDay: Int, retentionBytes: Int?) {
        logPace.follow(.log(mebibytesPerDay: mebibytesPerDay, retentionBytes: retentionBytes))
    }

    private func mayBegin(_ device: DeviceID, at arrival: Timestamp) -> Bool {
        sessionPace.hasRoom(device, for: 1, at: arrival)
            && (quota.hasRoom(callbacks.recorded(device))
                || dailyPace.hasRoom(device, for: 1, at: arrival))
    }

    /// Counts the bytes that a frame added to the log. A device that has used up its quota is
    /// disconnected. Its acknowledged frames are kept, and it sends the rest later.
    func use(_ bytes: Int, of live: LiveSession, at arrival: Timestamp) {
        logPace.take(Double(bytes), by: live.device, at: arrival)
        guard !logPace.hasRoom(live.device, for: 1, at: arrival),
            let connection = table.connection(of: live.id), disconnected.insert(connection).inserted
        else { return }
        if disconnected.count > Self.disconnectedMax { disconnected = [connection] }
        callbacks.complain(
            "device \(live.device.rawValue) has filled its share of the log"
                + " (limits.device_mebibytes_per_day, log.retention_mebibytes)"
                + " and is taken again later: raise the limit if it sends what it should, else"
                + " revoke it")
        callbacks.disconnect(connection)
    }
}
