import SegmentLog
import SensorModel

/// What the outside knows: what watches made, what the daemon took and acknowledged, what the log
/// held when it was last opened, what viewers have seen.
struct Ledger {
    struct Book {
        var device: DeviceID
        var made: [UInt32: Watch.Made] = [:]
        /// Sent without a number, and how often.
        var uncounted: [Watch.Made: Int] = [:]
        /// Pushed, and on which lines: each may record it once.
        var pushed: [Watch.Made: Set<Int>] = [:]
        /// Pushed, and answered as recorded.
        var settled: Set<Watch.Made> = []
        /// Pushed and removed by retention: no promise brings it back.
        var forgotten: Set<Watch.Made> = []
        /// Taken by the daemon since it started.
        var taken: Set<UInt32> = []
        /// Acknowledged after they were taken.
        var promised: Set<UInt32> = []
        var acknowledged: UInt32 = 0
        /// Removed by retention: a second copy of one is nothing new either.
        var removed: Set<UInt32> = []
    }

    struct Held: Hashable {
        let header: RecordHeader
        let payload: [UInt8]

        init(_ header: RecordHeader, _ payload: Span<UInt8>) {
            self.header = header
            self.payload = (0..<payload.count).map { payload[$0] }
        }
    }

    /// What a viewer saw of an event.
    struct Sight: Hashable {
        var share: ShareKey
        var offset: UInt64
        /// Generation of the privacy settings that hide some of it.
        var generation: Int
        /// An end of a view has a number of its own, which may be that of another session's record.
        var isEnd: Bool

        init(_ json: [UInt8], at offset: UInt64, on share: ShareKey, generation: Int) {
            self.share = share
            self.offset = offset
            self.generation = generation
            isEnd = json.starts(with: #"{"type":"end""#.utf8)
        }
    }

    var books: [SessionID: Book] = [:]
    var held: [RecordOffset: Held] = [:]
    var seen: [Sight: [UInt8]] = [:]
    var highestSeen: UInt64?
    var acks = 0
    /// Records of these sessions before an offset may be gone.
    private var losable: [SessionID: RecordOffset] = [:]
    /// Somebody tried to erase records of these sessions before an offset.
    private var erasable: [SessionID: RecordOffset] = [:]
    /// Records of these sessions before an offset must be gone.
    private var erased: [SessionID: RecordOffset] = [:]

    /// What was removed before a backup, and nothing that was removed since.
    mutating func takeRemovals(of backup: Ledger) {
        losable = backup.losable
        erasable = backup.erasable
        erased = backup.erased
    }

    /// Whether records of the session may be gone: what is left is computed from other beginnings.
    func hasLost(_ session: SessionID) -> Bool { losable[session] != nil }

    /// The first offset of which no record of the session was removed; `nil`: none was.
    func lossEnd(of session: SessionID) -> RecordOffset? { losable[session] }

    /// Somebody erases the session: whatever was promised is promised no more.
    mutating func mayLose(_ session: SessionID, before end: RecordOffset) {
        losable[session] = end
        erasable[session] = end
        books[session]?.promised = []
        books[session]?.taken = []
        books[session]?.settled = []
        books[session]?.acknowledged = 0
    }

    /// A request with the frame has reached a line.
    mutating func push(_ made: Watch.Made, of session: SessionID, on line: Int) {
        guard books[session]?.pushed[made, default: []].insert(line).inserted ?? false else {
            return
        }
        books[session]?.uncounted[made, default: 0] += 1
    }

    /// The application may forget the frame.
    mutating func settle(_ made: Watch.Made, of session: SessionID) {
        guard books[session]?.forgotten.contains(made) == false else { return }
        books[session]?.settled.insert(made)
    }

    /// Retention removes a frame without a number.
    mutating func forget(_ made: Watch.Made, of session: SessionID) {
        books[session]?.settled.remove(made)
        books[session]?.forgotten.insert(made)
    }

    /// Nothing of what an erasure was to remove may come back.
    mutating func mustLose(_ session: SessionID) { erased[session] = losable[session] }

    /// Whether a record there may have been erased.
    func isErased(_ offset: RecordOffset) -> Bool { erasable.values.contains { offset < $0 } }

    /// Retention removes frames, by session and number.
    mutating func mayLose(_ removed: [SessionID: Set<UInt32>], before end: RecordOffset) {
        for (session, numbers) in removed {
            losable[session] = max(end, losable[session] ?? end)
            books[session]?.promised.subtract(numbers)
            books[session]?.taken.subtract(numbers)
            books[session]?.removed.formUnion(numbers)
        }
    }

    mutating func acknowledge(_ session: SessionID, _ number: UInt32) throws(Violation) {
        acks += 1
        guard var book = books.removeValue(forKey: session) else {
            throw Violation("an ack for a session that nobody sent: \(session)")
        }
        guard number >= book.acknowledged else {
            throw Violation("ack \(number) after \(book.acknowledged)")
        }
        book.acknowledged = number
        for taken in book.taken where taken <= number { book.promised.insert(taken) }
        book.taken = book.taken.filter { $0 > number }
        books[session] = book
    }

    /// The daemon is gone: what it took and did not acknowledge may be lost, and that it refused
    /// numbers after the last frame recorded is forgotten.
    mutating func restart() {
        for session in books.keys {
            books[session]?.taken = []
            let recorded = books[session]?.promised.max()
            books[session]?.acknowledged = recorded ?? 0
        }
    }

    /// Compares a log that has just been opened with everything above.
    mutating func check(_ reader: LogReader) throws(Violation) {
        var found: [RecordOffset: Held] = [:]
        var numbers: [SessionID: Set<UInt32>] = [:]
        var uncounted: [SessionID: [Watch.Made: Int]] = [:]
        var violation: Violation?
        var gaps: [LogGap] = []
        do throws(SegmentLogError) {
            try reader.read(from: RecordOffset(rawValue: 0), gap: { gaps.append($0) }) {
                header, payload in
                let record = Held(header, payload)
                do throws(Violation) {
                    try check(record, &numbers, &uncounted)
                } catch {
                    violation = error
                    return false
                }
                if found.updateValue(record, forKey: header.offset) != nil {
                    violation = Violation("offset \(header.offset.rawValue) twice in the log")
                }
                return violation == nil
            }
        } catch { throw Violation("the log cannot be read: \(error)") }
        if let violation { throw violation }
        if let gap = gaps.first(where: { $0.reason == .damaged }) {
            throw Violation("damage that nobody did: \(gap)")
        }
        for (session, book) in books {
            let lost = book.promised.subtracting(numbers[session] ?? [])
            guard lost.isEmpty else {
                throw Violation(
                    "\(lost.count) acknowledged frames lost, as \(lost.min() ?? 0) of \(session)")
            }
            let unsaved = book.settled.filter { uncounted[session]?[$0] == nil }
            guard unsaved.isEmpty else {
                throw Violation(
                    "\(unsaved.count) pushed frames of \(session) lost after the answer")
            }
        }
        for (offset, record) in held where found[offset] == nil {
            let session = record.header.session
            guard losable[session].map({ offset >= $0 }) ?? true else { continue }
            throw Violation("record \(offset.rawValue) was on disk and is gone")
        }
        held = found
    }

    private func check(
        _ record: Held, _ numbers: inout [SessionID: Set<UInt32>],
        _ uncounted: inout [SessionID: [Watch.Made: Int]]
    ) throws(Violation) {
        let header = record.header
        if let before = held[header.offset], before != record {
            throw Violation("offset \(header.offset.rawValue) holds another record than before")
        }
        guard let book = books[header.session], book.device == header.device else {
            throw Violation("record \(header.offset.rawValue) of a session that nobody sent")
        }
        guard erased[header.session].map({ header.offset >= $0 }) ?? true else {
            throw Violation("record \(header.offset.rawValue) of an erased session is back")
        }
        guard case .frame(let kind) = header.type else { return }
        let number = header.sequence.rawValue
        let stored = Watch.Made(
            kind: kind, deviceTime: header.deviceTime, payload: record.payload)
        guard header.sequence.isCounted else {
            uncounted[header.session, default: [:]][stored, default: 0] += 1
            guard uncounted[header.session]?[stored] ?? 0 <= book.uncounted[stored] ?? 0 else {
                throw Violation("an uncounted frame of \(header.session) twice or invented")
            }
            return
        }
        // An erasure that failed may be undone by a power loss, and the watch has sent again what it
        // had not been acknowledged.
        guard
            numbers[header.session, default: []].insert(number).inserted
                || losable[header.session] != nil
        else {
            throw Violation("frame \(number) of \(header.session) twice")
        }
        guard book.made[number] == stored else {
            throw Violation("frame \(number) of \(header.session) was altered or invented")
        }
    }
}

/// Something that must never be.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
