package import SensorModel

/// The sessions in memory: the live ones, the last ended one of each device, and those that its
/// delayed shares show. Used only in the pipeline's turns.
package final class LiveSessions {
    /// Ended sessions of a device that are kept for its delayed shares; others are read from the
    /// log when they are needed.
    private static let endedShownMax = 8

    private var byID: [SessionID: LiveSession] = [:]
    private var byDevice: [DeviceID: [SessionID]] = [:]

    /// The earliest arrival of an unprocessed input of each session that is being rebuilt.
    private var waits: [SessionID: Timestamp] = [:]
    /// The earliest arrival in ``waits``.
    package private(set) var waitsSince: Timestamp?

    package init() {}

    package subscript(session: SessionID) -> LiveSession? { byID[session] }

    package private(set) var liveCount = 0
    /// Memory of all views that hide something, in bytes.
    package private(set) var hidingBytes = 0
    /// Memory of the splits and laps of all sessions, in bytes.
    package private(set) var summaryBytes = 0
    /// Memory of all backlogs, in bytes.
    package private(set) var backlogBytes = 0
    /// Memory of all sessions without what they hide, in bytes.
    package var bytes: Int { byID.count * LiveSession.bytesEach + summaryBytes }
    /// Number of devices with a session in memory.
    package var deviceCount: Int { byDevice.count }

    package func of(_ device: DeviceID) -> [LiveSession] {
        (byDevice[device] ?? []).compactMap { byID[$0] }
    }

    /// Sessions with a view that hides something.
    var hiding: [LiveSession] { byID.values.filter { $0.hidingBytes > 0 } }

    package var all: some Collection<LiveSession> { byID.values }

    /// - Parameters:
    ///   - session: A session that is not in memory.
    ///   - shown: Sessions that the device's shares show now; if evicted, they would be read again.
    /// - Returns: Ended sessions that were evicted for it.
    package func add(_ session: LiveSession, keeping shown: Set<SessionID>) -> [SessionID] {
        byID[session.id] = session
        if !session.hasEnded { liveCount += 1 }
        session.ended = { [unowned self] in liveCount += $0 ? -1 : 1 }
        hidingBytes += session.hidingBytes
        session.hidingGrew = { [unowned self] in hidingBytes += $0 }
        summaryBytes += session.summaryBytes
        session.summaryGrew = { [unowned self] in summaryBytes += $0 }
        noteWait(of: session.id, since: session.waitsSince)
        session.waitChanged = { [unowned self, id = session.id] in noteWait(of: id, since: $0) }
        backlogBytes += session.backlog.bytes
        session.backlogGrew = { [unowned self] change in
            guard change <= 0 || backlogBytes + change <= SessionBacklog.allBytesMax else {
                return false
            }
            backlogBytes += change
            return true
        }
        byDevice[session.device, default: []].append(session.id)
        let ended = of(session.device).filter(\.hasEnded)
            .sorted { $0.lastArrival < $1.lastArrival }
        let kept = ended.filter { shown.contains($0.id) }.suffix(Self.endedShownMax)
        let old = ended.dropLast().filter { one in !kept.contains { $0 === one } }.map(\.id)
        for session in old { _ = remove(session) }
        return old
    }

    package func remove(_ session: SessionID) -> LiveSession? {
        guard let removed = byID.removeValue(forKey: session) else { return nil }
        byDevice[removed.device]?.removeAll { $0 == session }
        if byDevice[removed.device]?.isEmpty == true { byDevice[removed.device] = nil }
        removed.ended = nil
        removed.hidingGrew = nil
        removed.summaryGrew = nil
        removed.waitChanged = nil
        noteWait(of: session, since: nil)
        removed.backlogGrew = nil
        backlogBytes -= removed.backlog.bytes
        hidingBytes -= removed.hidingBytes
        summaryBytes -= removed.summaryBytes
        if !removed.hasEnded { liveCount -= 1 }
        return removed
    }

    private func noteWait(of session: SessionID, since: Timestamp?) {
        guard let since else {
            guard let old = waits.removeValue(forKey: session), old == waitsSince else { return }
            waitsSince = waits.values.min()
            return
        }
        waits[session] = since
        waitsSince = min(since, waitsSince ?? since)
    }
}
