package import Ingest
package import SensorModel

/// What a device may begin and send.
extension SessionFlow {
    /// Bytes of the log that a device must have regained to be taken again, so that it does not come
    /// back for every frame.
    private static let bytesRegained = Double(1 << 20)
    /// Connections that are remembered, so that each is sent away once.
    private static let sentAwayMax = 1024

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
            if over <= arrival { live.overAt = live.overAt ?? over }
            live.lastArrival = arrival
            live.goesOn = true
            noteGoingOn(live)
        }
        return decision
    }

    /// Follows a changed limit of the log's size.
    package func limitLog(mebibytesPerDay: Int, retentionBytes: Int?) {
        logPace.follow(.log(mebibytesPerDay: mebibytesPerDay, retentionBytes: retentionBytes))
    }

    private func mayBegin(_ device: DeviceID, at arrival: Timestamp) -> Bool {
        sessionPace.hasRoom(device, for: 1, at: arrival)
            && (quota.hasRoom(callbacks.recorded(device))
                || dailyPace.hasRoom(device, for: 1, at: arrival))
    }

    /// Counts what a frame has added to the log. A device that has used up its share is sent away; what
    /// of it is acknowledged is kept, and it sends the rest later.
    func use(_ bytes: Int, of live: LiveSession, at arrival: Timestamp) {
        logPace.take(Double(bytes), by: live.device, at: arrival)
        guard !logPace.hasRoom(live.device, for: 1, at: arrival),
            let connection = table.connection(of: live.id), sentAway.insert(connection).inserted
        else { return }
        if sentAway.count > Self.sentAwayMax { sentAway = [connection] }
        callbacks.complain(
            "device \(live.device.rawValue) has filled its share of the log"
                + " (limits.device_mebibytes_per_day, log.retention_mebibytes)"
                + " and is taken again later: raise the limit if it sends what it should, else"
                + " revoke it")
        callbacks.crowdedOut(connection)
    }
}
