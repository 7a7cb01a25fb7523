import SegmentLog
import SensorModel

/// The external view: frames made, accepted and acknowledged, records held at the last open, and
/// events seen.
struct Ledger {
    struct Book {
        var device: DeviceID
        var made: [UInt32: Watch.Made] = [:]
        /// Frames sent without a number, with the count of sends.
        var uncounted: [Watch.Made: Int] = [:]
        /// Pushed frames, with their lines: each line may record the frame once.
        var pushed: [Watch.Made: Set<Int>] = [:]
        /// Pushed frames that were answered as recorded.
        var settled: Set<Watch.Made> = []
        /// Pushed frames that retention removed; they need not be in the log.
        var forgotten: Set<Watch.Made> = []
        /// Frames accepted by the daemon since its start.
        var taken: Set<UInt32> = []
        /// Frames accepted and then acknowledged.
        var promised: Set<UInt32> = []
        var acknowledged: UInt32 = 0
        /// Frames removed by retention; a second copy does not count as new.
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

    /// Identifies an event that a viewer saw.
    struct Sight: Hashable {
        var share: ShareKey
        var offset: UInt64
        /// Generation of the privacy settings that hide parts of the event.
        var generation: Int
        /// Whether it is an end of a view, whose number may be that of another session's record.
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
    /// Per session, records before this offset may be gone.
    private var losable: [SessionID: RecordOffset] = [:]
    /// Per session, an erasure of the records before this offset was tried.
    private var erasable: [SessionID: RecordOffset] = [:]
    /// Per session, records before this offset must be gone.
    private var erased: [SessionID: RecordOffset] = [:]

    /// Resets the removals to those made before the backup.
    mutating func takeRemovals(of backup: Ledger) {
        losable = backup.losable
        erasable = backup.erasable
        erased = backup.erased
    }

    /// Whether records of the session may be gone, so that later values have another start.
    func hasLost(_ session: SessionID) -> Bool { losable[session] != nil }

    /// The first offset from which no record of the session was removed; `nil`: none was removed.
    func lossEnd(of session: SessionID) -> RecordOffset? { losable[session] }

    /// Notes an erasure of the session, which cancels all its promises.
    mutating func mayLose(_ session: SessionID, before end: RecordOffset) {
        losable[session] = end
        erasable[session] = end
        books[session]?.promised = []
        books[session]?.taken = []
        books[session]?.settled = []
        books[session]?.acknowledged = 0
    }

    /// Notes that a request with the frame has reached a line.
    mutating func push(_ made: Watch.Made, of session: SessionID, on line: Int) {
        guard books[session]?.pushed[made, default: []].insert(line).inserted ?? false else {
            return
        }
        books[session]?.uncounted[made, default: 0] += 1
    }

    /// Notes that the application may forget the frame.
    mutating func settle(_ made: Watch.Made, of session: SessionID) {
        guard books[session]?.forgotten.contains(made) == false else { return }
        books[session]?.settled.insert(made)
    }

    /// Notes that retention removes a frame without a number.
    mutating func forget(_ made: Watch.Made, of session: SessionID) {
        books[session]?.settled.remove(made)
        books[session]?.forgotten.insert(made)
    }

    /// Notes that an erasure is complete: none of the erased records may come back.
    mutating func mustLose(_ session: SessionID) { erased[session] = losable[session] }

    /// Whether a record at this offset may have been erased.
    func isErased(_ offset: RecordOffset) -> Bool { erasable.values.contains { offset < $0 } }

    /// Notes the frames that retention removes, by session and number.
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

    /// Notes the end of a life: frames without an ack may be lost, and refusals after the last
    /// recorded frame are forgotten.
    mutating func restart() {
        for session in books.keys {
            books[session]?.taken = []
            let recorded = books[session]?.promised.max()
            books[session]?.acknowledged = recorded ?? 0
        }
    }

    /// Compares a newly opened log with this ledger.
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
        // A power loss may undo a failed erasure after the watch has resent frames that had no ack.
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

/// A broken invariant.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
