import Bytes
import SegmentLog
import SensorModel

/// The entries of a ``SessionCatalog``, found by offset, device and ID. Belongs to its lock.
struct SessionIndex: Sendable {
    struct Entry: Sendable {
        let session: SessionID
        let device: DeviceID
        /// Offset of its first record.
        let first: UInt64
        /// `nil`: no record is written yet.
        var summary: SessionSummary?
    }

    /// Rising by first offset.
    private(set) var entries: [Entry] = []
    /// First offsets by device, rising.
    private(set) var byDevice: [DeviceID: [UInt64]] = [:]
    private(set) var first: [SessionID: UInt64] = [:]
    /// All sessions, rising.
    private var byID: [SessionID] = []
    /// Sessions in the pipeline's memory.
    var held: Set<SessionID> = []
    /// Sessions released from memory whose summaries are not final yet.
    var released: [SessionID: RecordOffset] = [:]

    /// - Parameter summaries: One a session. O(n log n).
    init(_ summaries: [SessionSummary]) {
        entries.reserveCapacity(summaries.count)
        for summary in summaries {
            add(
                Entry(
                    session: summary.session, device: summary.device,
                    first: summary.firstOffset.rawValue, summary: summary))
        }
        byID = summaries.map(\.session).sorted()
    }

    /// Whether the log may have newer data than the entry.
    func isChanging(_ session: SessionID) -> Bool {
        held.contains(session) || released[session] != nil
    }

    func entry(of session: SessionID) -> Entry? {
        first[session].map { entries[place(of: $0)] }
    }

    /// Index of the entry with this first record, or its insertion point.
    func place(of offset: UInt64) -> Int { entries.partitioningIndex { $0.first >= offset } }

    /// Inserts an entry; O(n) for a session in the middle. A new session goes to the end of all
    /// lists except `byID`, whose 16 bytes a session move in microseconds.
    mutating func insert(_ entry: Entry) {
        add(entry)
        byID.insert(entry.session, at: byID.partitioningIndex { $0 >= entry.session })
    }

    private mutating func add(_ entry: Entry) {
        entries.insert(entry, at: place(of: entry.first))
        let own = byDevice[entry.device, default: []].partitioningIndex { $0 >= entry.first }
        byDevice[entry.device, default: []].insert(entry.first, at: own)
        first[entry.session] = entry.first
    }

    mutating func remove(_ session: SessionID) {
        guard let offset = first.removeValue(forKey: session) else { return }
        let removed = entries.remove(at: place(of: offset))
        byDevice[removed.device]?.removeAll { $0 == offset }
        if byDevice[removed.device]?.isEmpty == true { byDevice[removed.device] = nil }
        released[session] = nil
        byID.remove(at: byID.partitioningIndex { $0 >= session })
    }

    /// Removes erased sessions that left nothing in the log, except those that began since. O(n),
    /// however many they are.
    ///
    /// - Parameters:
    ///   - sessions: Erased sessions.
    ///   - end: A session that began from here on is a new one.
    mutating func remove(_ sessions: Set<SessionID>, keepingFrom end: UInt64) {
        let gone = sessions.filter { first[$0].map { $0 < end } ?? false }
        guard !gone.isEmpty else { return }
        let devices = Set(gone.compactMap { entry(of: $0)?.device })
        entries.removeAll { gone.contains($0.session) }
        let offsets = Set(gone.compactMap { first.removeValue(forKey: $0) })
        for device in devices {
            byDevice[device]?.removeAll { offsets.contains($0) }
            if byDevice[device]?.isEmpty == true { byDevice[device] = nil }
        }
        byID.removeAll { gone.contains($0) }
        held.subtract(gone)
        for session in gone { released[session] = nil }
    }

    /// - Parameters:
    ///   - session: Session of the answer.
    ///   - summary: Answer of the log.
    ///   - end: The answer includes all records before it.
    mutating func update(
        _ session: SessionID, _ summary: SessionSummary, through end: RecordOffset
    ) {
        guard let first = first[session] else { return }
        entries[place(of: first)].summary = summary
        if let released = released[session], released <= end { self.released[session] = nil }
    }

    /// - Parameters:
    ///   - session: Erased session.
    ///   - summary: Summary of its remains in the log.
    ///   - end: A session that began from here on is a new one, which the log may not know yet.
    mutating func replace(
        _ session: SessionID, by summary: SessionSummary, keepingFrom end: UInt64
    ) {
        guard let old = first[session], old < end else { return }
        let release = released[session]
        remove(session)
        insert(
            Entry(
                session: session, device: summary.device, first: summary.firstOffset.rawValue,
                summary: summary))
        released[session] = release
    }

    /// - Parameters:
    ///   - fresh: State built from all sessions that the log lists.
    ///   - end: Sessions that began from here on may be missing from it.
    mutating func replace(by fresh: Self, keepingFrom end: UInt64) {
        var fresh = fresh
        for entry in entries where entry.first >= end && fresh.first[entry.session] == nil {
            fresh.insert(entry)
        }
        fresh.held = held.filter { fresh.first[$0] != nil }
        fresh.released = released.filter { fresh.first[$0.key] != nil }
        self = fresh
    }

    /// Sessions whose ID begins with `prefix`, rising. O(log n).
    func sessions(withPrefix prefix: SessionPrefix) -> ArraySlice<SessionID> {
        let (lowest, highest) = (prefix.lowest, prefix.highest)
        let start = byID.partitioningIndex { $0 >= lowest }
        return byID[start..<byID.partitioningIndex { $0 > highest }]
    }
}
