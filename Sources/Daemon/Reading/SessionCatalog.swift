import SegmentLog
import SensorModel
import Sessions
import Synchronization

/// The sessions of the log in memory, by device, in the order in which they began: what a page of a
/// list is made from without a look at all of them. Any thread.
///
/// A session that the pipeline holds in memory may change in the log, so its summary is asked from
/// the log each time. The others are known.
final class SessionCatalog: Sendable {
    /// Whose sessions are wanted.
    enum Owner: Hashable, Sendable {
        case anybody
        case device(DeviceID)
        /// Devices that are not among these.
        case nobody(registered: Set<DeviceID>)
    }

    private let log: SegmentLog
    private let state: Mutex<State>
    /// How often the log was asked for a session. For tests.
    let questions = Atomic(0)

    init(log: SegmentLog) {
        self.log = log
        state = Mutex(State(log.sessions()))
    }

    // MARK: What changes

    func note(_ change: SessionMemory) {
        state.withLock { state in
            switch change {
            case .began(let session, let device, let first):
                state.remove(session)
                state.append(Entry(session: session, device: device, first: first.rawValue))
            case .held(let session):
                state.held.insert(session)
                state.released[session] = nil
            case .ended: break
            case .released(let session, let end):
                state.held.remove(session)
                state.released[session] = end
            }
        }
    }

    /// The log has erased sessions, or a part of them where it failed.
    func erased(_ sessions: Set<SessionID>) {
        let end = log.writtenEnd
        let left = sessions.map { ($0, log.summary(of: $0)) }
        state.withLock { state in
            for (session, summary) in left {
                state.replace(session, by: summary, keepingFrom: end.rawValue)
            }
        }
    }

    /// The log has deleted old segments: what is left is read from its index.
    func reload() {
        let end = log.writtenEnd
        let fresh = State(log.sessions())
        state.withLock { $0.replace(by: fresh, keepingFrom: end.rawValue) }
    }

    // MARK: What is asked

    /// - Parameters:
    ///   - owner: Whose.
    ///   - before: Sessions that began before this record; `nil`: from the newest on.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: At least 1.
    /// - Returns: Newest first, and whether there are more.
    func page(
        of owner: Owner, before: RecordOffset? = nil, since: Timestamp? = nil, limit: Int
    ) -> (sessions: [SessionSummary], more: Bool) {
        var asked: Set<SessionID> = []
        while true {
            // Only what the page would show, or may, is asked of the log: others' sessions in memory
            // cost it nothing.
            let (page, changing) = state.withLock { state in
                state.page(
                    of: owner, before: before?.rawValue ?? .max, since: since, limit: limit,
                    besides: asked)
            }
            guard !changing.isEmpty else {
                return (Array(page.prefix(limit)), page.count > limit)
            }
            refresh(changing)
            asked.formUnion(changing.lazy.map(\.session))
        }
    }

    func summary(of session: SessionID) -> SessionSummary? {
        refresh([session])
        return state.withLock { $0.entry(of: session)?.summary }
    }

    /// Whose session it is, also one of which nothing is written yet; `nil`: there is none.
    func device(of session: SessionID) -> DeviceID? {
        state.withLock { $0.entry(of: session)?.device }
    }

    /// The last record of each session, of those that there are.
    func lastOffsets(of sessions: [SessionID]) -> [SessionID: RecordOffset] {
        refresh(sessions)
        return state.withLock { state in
            sessions.reduce(into: [:]) { offsets, session in
                offsets[session] = state.entry(of: session)?.summary?.lastOffset
            }
        }
    }

    /// The device's sessions that may have records around an offset. Looks at all of the device's.
    ///
    /// - Parameters:
    ///   - device: Whose.
    ///   - offset: The first record of each is not after it, ``SessionSummary/lastOffset`` at most
    ///     `beyond` before it.
    ///   - beyond: How far behind a session's last record `offset` may be.
    /// - Returns: Oldest first.
    func sessions(
        of device: DeviceID, around offset: RecordOffset, beyond: UInt64
    ) -> [SessionSummary] {
        let (found, changing) = state.withLock { state in
            var found: [SessionID] = []
            var changing: [SessionID] = []
            state.visit(.device(device), before: offset.rawValue + 1) { entry in
                if state.isChanging(entry.session) {
                    changing.append(entry.session)
                    found.append(entry.session)
                } else if let last = entry.summary?.lastOffset.rawValue,
                    offset.rawValue <= last + beyond
                {
                    found.append(entry.session)
                }
                return true
            }
            return (found, changing)
        }
        refresh(changing)
        return state.withLock { state in
            found.reversed().compactMap { state.entry(of: $0)?.summary }
                .filter { offset.rawValue <= $0.lastOffset.rawValue + beyond }
        }
    }

    /// Whether the pipeline has the session in memory.
    func isHeld(_ session: SessionID) -> Bool { state.withLock { $0.held.contains(session) } }

    /// The highest number of a device that has sessions; `nil` where there is no session.
    var highestDevice: DeviceID? { state.withLock { $0.byDevice.keys.max() } }

    /// All of an owner's, also those of which nothing is written yet.
    func sessionIDs(of owner: Owner) -> Set<SessionID> {
        state.withLock { state in
            var found: Set<SessionID> = []
            state.visit(owner, before: .max) { entry in
                found.insert(entry.session)
                return true
            }
            return found
        }
    }

    /// Sessions of every device that has some.
    var counts: [DeviceID: Int] { state.withLock { $0.byDevice.mapValues(\.count) } }

    /// Looks at all sessions of the device.
    func count(of device: DeviceID, arrivedBefore time: Timestamp) -> Int {
        state.withLock { state in
            var count = 0
            state.visit(.device(device), before: .max) { entry in
                if let arrival = entry.summary?.arrivalTimes.lowerBound, arrival < time {
                    count += 1
                }
                return true
            }
            return count
        }
    }

    func count(of device: DeviceID) -> Int { state.withLock { $0.byDevice[device]?.count ?? 0 } }

    /// - Returns: The sessions whose ID begins with `prefix`, two at most: one is meant, or none.
    func sessions(withPrefix prefix: SessionPrefix) -> [SessionSummary] {
        let found = state.withLock { state in
            state.entries.lazy.map(\.session).filter(prefix.matches)
        }
        // What nothing is written of is not listed.
        return Array(found.lazy.compactMap(summary).prefix(2))
    }

    private func refresh(_ sessions: [SessionID]) {
        refresh(
            state.withLock { state in
                sessions.filter(state.isChanging).compactMap(state.entry)
            })
    }

    /// Asks the log for what may have changed: what the pipeline holds, and what it has let go of
    /// since.
    private func refresh(_ asked: [Entry]) {
        guard !asked.isEmpty else { return }
        questions.add(asked.count, ordering: .relaxed)
        let end = log.writtenEnd
        let answers = asked.map { entry in
            (
                entry.session,
                log.summary(of: entry.session, since: RecordOffset(rawValue: entry.first))
            )
        }
        state.withLock { state in
            for (session, summary) in answers {
                guard let summary, let first = state.first[session] else { continue }
                state.entries[state.place(of: first)].summary = summary
                if let released = state.released[session], released <= end {
                    state.released[session] = nil
                }
            }
        }
    }
}

extension SessionCatalog {
    fileprivate struct Entry: Sendable {
        let session: SessionID
        let device: DeviceID
        /// Of its first record.
        let first: UInt64
        /// `nil`: nothing of it is written yet.
        var summary: SessionSummary?
    }

    fileprivate struct State: Sendable {
        /// Rising by first offset.
        var entries: [Entry] = []
        /// First offsets, rising.
        var byDevice: [DeviceID: [UInt64]] = [:]
        var first: [SessionID: UInt64] = [:]
        /// In the pipeline's memory.
        var held: Set<SessionID> = []
        /// Not any more, and not asked of the log since it has written all of them.
        var released: [SessionID: RecordOffset] = [:]

        init(_ summaries: [SessionSummary]) {
            entries.reserveCapacity(summaries.count)
            for summary in summaries {
                append(
                    Entry(
                        session: summary.session, device: summary.device,
                        first: summary.firstOffset.rawValue, summary: summary))
            }
        }
    }
}

extension SessionCatalog.State {
    typealias Entry = SessionCatalog.Entry

    /// Whether the log may know more of it than its entry says.
    func isChanging(_ session: SessionID) -> Bool {
        held.contains(session) || released[session] != nil
    }

    func entry(of session: SessionID) -> Entry? {
        first[session].map { entries[place(of: $0)] }
    }

    /// Where the entry with this first record is, or would be.
    func place(of offset: UInt64) -> Int { entries.firstPlace { $0.first >= offset } }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        byDevice[entry.device, default: []].append(entry.first)
        first[entry.session] = entry.first
    }

    mutating func remove(_ session: SessionID) {
        guard let offset = first.removeValue(forKey: session) else { return }
        let removed = entries.remove(at: place(of: offset))
        byDevice[removed.device]?.removeAll { $0 == offset }
        if byDevice[removed.device]?.isEmpty == true { byDevice[removed.device] = nil }
        released[session] = nil
    }

    /// - Parameters:
    ///   - session: Erased.
    ///   - summary: Of what the log still has of it; `nil`: nothing.
    ///   - end: What began from here on is another of the same ID, which the log need not know yet.
    mutating func replace(
        _ session: SessionID, by summary: SessionSummary?, keepingFrom end: UInt64
    ) {
        guard let old = first[session], old < end else { return }
        let release = released[session]
        remove(session)
        guard let summary else {
            held.remove(session)
            return
        }
        let entry = Entry(
            session: session, device: summary.device, first: summary.firstOffset.rawValue,
            summary: summary)
        entries.insert(entry, at: place(of: entry.first))
        let own = byDevice[entry.device] ?? []
        byDevice[entry.device, default: []].insert(
            entry.first, at: own.firstPlace { $0 >= entry.first })
        first[session] = entry.first
        released[session] = release
    }

    /// - Parameters:
    ///   - fresh: Made of all that the log lists.
    ///   - end: What began from here on may be missing in it.
    mutating func replace(by fresh: Self, keepingFrom end: UInt64) {
        var fresh = fresh
        let young = entries.filter { $0.first >= end && fresh.first[$0.session] == nil }
        for entry in young { fresh.append(entry) }
        if !young.isEmpty {
            fresh.entries.sort { $0.first < $1.first }
            for device in Set(young.map(\.device)) { fresh.byDevice[device]?.sort() }
        }
        fresh.held = held.filter { fresh.first[$0] != nil }
        fresh.released = released.filter { fresh.first[$0.key] != nil }
        self = fresh
    }

    /// - Parameters:
    ///   - owner: Whose.
    ///   - end: Sessions that began before this record.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: One more is looked for.
    ///   - asked: Their entries are as the log has them.
    /// - Returns: Newest first; and those that the log must be asked for before the page is known.
    func page(
        of owner: SessionCatalog.Owner, before end: UInt64, since: Timestamp?, limit: Int,
        besides asked: Set<SessionID>
    ) -> (page: [SessionSummary], changing: [Entry]) {
        var page: [SessionSummary] = []
        var changing: [Entry] = []
        visit(owner, before: end) { entry in
            if isChanging(entry.session), !asked.contains(entry.session) {
                changing.append(entry)
                return page.count + changing.count <= limit
            }
            guard let summary = entry.summary else { return true }
            if let since {
                // A device's clock is at most a day ahead of arrival.
                guard summary.arrivalTimes.lowerBound.advanced(bySeconds: 86_400) >= since
                else { return false }
                guard summary.startTime >= since else { return true }
            }
            page.append(summary)
            return page.count + changing.count <= limit
        }
        return (page, changing)
    }

    /// Newest first, until `body` returns `false`.
    func visit(
        _ owner: SessionCatalog.Owner, before end: UInt64, _ body: (Entry) -> Bool
    ) {
        switch owner {
        case .anybody:
            for entry in entries[..<place(of: end)].reversed() where !body(entry) { return }
        case .device(let device):
            let own = byDevice[device] ?? []
            for offset in own[..<own.firstPlace { $0 >= end }].reversed()
            where !body(entries[place(of: offset)]) { return }
        case .nobody(let registered):
            let offsets = byDevice.filter { !registered.contains($0.key) }.values.joined()
            for offset in offsets.filter({ $0 < end }).sorted().reversed()
            where !body(entries[place(of: offset)]) { return }
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The place of the first element that meets a condition which all after it meet, too; the end
    /// where none does. O(log n).
    fileprivate func firstPlace(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension SessionSummary {
    /// Of the run, not of its upload.
    var startTime: Timestamp { deviceTimes?.lowerBound ?? arrivalTimes.lowerBound }
}
