package import SegmentLog
package import SensorModel
package import Sessions
package import Synchronization

/// The sessions of the log in memory, by device, in order of their beginning. A page of a list is
/// built from them without visiting all sessions. Any thread.
///
/// A session in the pipeline's memory may change in the log, so its summary is requested from the
/// log each time. The others are cached.
package final class SessionCatalog: Sendable {
    /// Owner of the requested sessions.
    package enum Owner: Hashable, Sendable {
        case anybody
        case device(DeviceID)
        /// Sessions of devices outside this set.
        case nobody(registered: Set<DeviceID>)
    }

    private let log: SegmentLog
    private let state: Mutex<State>
    /// Number of summaries requested from the log; for tests.
    package let questions = Atomic(0)

    package init(log: SegmentLog) {
        self.log = log
        state = Mutex(State(log.sessions()))
    }

    // MARK: Changes

    package func note(_ change: SessionMemory) {
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

    /// Updates sessions that the log has erased, or erased in part after a failure.
    package func erased(_ sessions: Set<SessionID>) {
        let end = log.writtenEnd
        let left = sessions.map { ($0, log.summary(of: $0)) }
        state.withLock { state in
            for (session, summary) in left {
                state.replace(session, by: summary, keepingFrom: end.rawValue)
            }
        }
    }

    /// Reloads the sessions from the log's index after old segments were deleted.
    package func reload() {
        let end = log.writtenEnd
        let fresh = State(log.sessions())
        state.withLock { $0.replace(by: fresh, keepingFrom: end.rawValue) }
    }

    // MARK: Queries

    /// - Parameters:
    ///   - owner: Owner of the sessions.
    ///   - before: Sessions that began before this record; `nil`: from the newest on.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: At least 1.
    /// - Returns: Sessions, newest first, and whether there are more.
    package func page(
        of owner: Owner, before: RecordOffset? = nil, since: Timestamp? = nil, limit: Int
    ) -> (sessions: [SessionSummary], more: Bool) {
        var asked: Set<SessionID> = []
        while true {
            // Only summaries that the page may contain are requested from the log: sessions of
            // other owners cost nothing.
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

    package func summary(of session: SessionID) -> SessionSummary? {
        refresh([session])
        return state.withLock { $0.entry(of: session)?.summary }
    }

    /// Device of a session, even if nothing of it is written yet; `nil`: no such session.
    package func device(of session: SessionID) -> DeviceID? {
        state.withLock { $0.entry(of: session)?.device }
    }

    /// The last record of each existing session.
    func lastOffsets(of sessions: [SessionID]) -> [SessionID: RecordOffset] {
        refresh(sessions)
        return state.withLock { state in
            sessions.reduce(into: [:]) { offsets, session in
                offsets[session] = state.entry(of: session)?.summary?.lastOffset
            }
        }
    }

    /// The device's sessions that may have records around an offset. Visits all its sessions.
    ///
    /// - Parameters:
    ///   - device: Device of the sessions.
    ///   - offset: The first record of each session is not after it, and
    ///     ``SessionSummary/lastOffset`` at most `beyond` before it.
    ///   - beyond: Largest distance of `offset` behind a session's last record.
    /// - Returns: Sessions, oldest first.
    package func sessions(
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
    package func isHeld(_ session: SessionID) -> Bool {
        state.withLock { $0.held.contains(session) }
    }

    /// The highest number of a device with sessions; `nil` without sessions.
    var highestDevice: DeviceID? { state.withLock { $0.byDevice.keys.max() } }

    /// All sessions of an owner, including those of which nothing is written yet.
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

    /// Number of sessions by device, for devices with sessions.
    package var counts: [DeviceID: Int] { state.withLock { $0.byDevice.mapValues(\.count) } }

    /// Counts sessions; visits all sessions of the device.
    package func count(of device: DeviceID, arrivedBefore time: Timestamp) -> Int {
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

    package func count(of device: DeviceID) -> Int {
        state.withLock { $0.byDevice[device]?.count ?? 0 }
    }

    /// - Returns: At most two sessions whose ID begins with `prefix`: only a single match is valid.
    package func sessions(withPrefix prefix: SessionPrefix) -> [SessionSummary] {
        let found = state.withLock { state in
            state.entries.lazy.map(\.session).filter(prefix.matches)
        }
        // Sessions without written records are not listed.
        return Array(found.lazy.compactMap(summary).prefix(2))
    }

    private func refresh(_ sessions: [SessionID]) {
        refresh(
            state.withLock { state in
                sessions.filter(state.isChanging).compactMap(state.entry)
            })
    }

    /// Requests from the log the summaries of sessions held by the pipeline or released since.
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
        /// Offset of its first record.
        let first: UInt64
        /// `nil`: no record is written yet.
        var summary: SessionSummary?
    }

    fileprivate struct State: Sendable {
        /// Entries, rising by first offset.
        var entries: [Entry] = []
        /// First offsets by device, rising.
        var byDevice: [DeviceID: [UInt64]] = [:]
        var first: [SessionID: UInt64] = [:]
        /// Sessions in the pipeline's memory.
        var held: Set<SessionID> = []
        /// Sessions released from memory whose summaries are not final yet.
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
    package typealias Entry = SessionCatalog.Entry

    /// Whether the log may have newer data than the entry.
    func isChanging(_ session: SessionID) -> Bool {
        held.contains(session) || released[session] != nil
    }

    package func entry(of session: SessionID) -> Entry? {
        first[session].map { entries[place(of: $0)] }
    }

    /// Index of the entry with this first record, or its insertion point.
    package func place(of offset: UInt64) -> Int { entries.firstPlace { $0.first >= offset } }

    package mutating func append(_ entry: Entry) {
        entries.append(entry)
        byDevice[entry.device, default: []].append(entry.first)
        first[entry.session] = entry.first
    }

    package mutating func remove(_ session: SessionID) {
        guard let offset = first.removeValue(forKey: session) else { return }
        let removed = entries.remove(at: place(of: offset))
        byDevice[removed.device]?.removeAll { $0 == offset }
        if byDevice[removed.device]?.isEmpty == true { byDevice[removed.device] = nil }
        released[session] = nil
    }

    /// - Parameters:
    ///   - session: Erased session.
    ///   - summary: Summary of its remains in the log; `nil`: none.
    ///   - end: A session that began from here on is a new one, which the log may not know yet.
    package mutating func replace(
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
    ///   - fresh: State built from all sessions that the log lists.
    ///   - end: Sessions that began from here on may be missing from it.
    package mutating func replace(by fresh: Self, keepingFrom end: UInt64) {
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
    ///   - owner: Owner of the sessions.
    ///   - end: Sessions that began before this record.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: Length of the page; the search continues for one more.
    ///   - asked: Sessions whose entries are up to date.
    /// - Returns: Sessions, newest first; and those whose summaries the page needs from the log.
    package func page(
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

    /// Visits sessions, newest first, until `body` returns `false`.
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
    /// Index of the first element that meets a condition, which all later elements also meet; the
    /// end if none does. O(log n).
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
    /// Start of the run, not of its upload.
    package var startTime: Timestamp { deviceTimes?.lowerBound ?? arrivalTimes.lowerBound }
}
