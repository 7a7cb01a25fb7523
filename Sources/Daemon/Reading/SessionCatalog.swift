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

    /// The log has erased sessions or old segments: what is left is read from its index.
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
        refresh()
        return state.withLock { state in
            var found: [SessionSummary] = []
            state.visit(owner, before: before?.rawValue ?? .max) { entry in
                guard let summary = entry.summary else { return true }
                if let since {
                    // A device's clock is at most a day ahead of arrival.
                    guard summary.arrivalTimes.lowerBound.advanced(bySeconds: 86_400) >= since
                    else { return false }
                    guard summary.startTime >= since else { return true }
                }
                found.append(summary)
                return found.count <= limit
            }
            let more = found.count > limit
            return (Array(found.prefix(limit)), more)
        }
    }

    func summary(of session: SessionID) -> SessionSummary? {
        refresh()
        return state.withLock { state in
            state.first[session].flatMap { state.entries[state.place(of: $0)].summary }
        }
    }

    /// The last record of each session, of those that there are.
    func lastOffsets(of sessions: [SessionID]) -> [SessionID: RecordOffset] {
        refresh()
        return state.withLock { state in
            sessions.reduce(into: [:]) { offsets, session in
                offsets[session] = state.first[session].flatMap {
                    state.entries[state.place(of: $0)].summary?.lastOffset
                }
            }
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
        refresh()
        return state.withLock { state in
            Array(
                state.entries.lazy.filter { prefix.matches($0.session) }.compactMap(\.summary)
                    .prefix(2))
        }
    }

    /// Asks the log for what may have changed: what the pipeline holds, and what it has let go of
    /// since.
    private func refresh() {
        let asked = state.withLock { $0.changing }
        guard !asked.isEmpty else { return }
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

    /// What the log is asked for again.
    var changing: [Entry] {
        (held.union(released.keys)).compactMap { session in
            first[session].map { entries[place(of: $0)] }
        }
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
