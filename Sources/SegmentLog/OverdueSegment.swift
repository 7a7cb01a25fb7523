import Glibc
import SensorModel

/// A segment that retention has removed from the log and whose file may still exist.
struct OverdueSegment: Hashable, Sendable {
    let bytes: Int
    let records: Int
    /// Arrival of its oldest record, if its records are known.
    let arrivalFirst: Int64
    /// `nil`: unknown.
    let sessions: Set<SessionID>?
    /// Whether the file is empty.
    var isEmptied = false

    init(_ entry: SegmentEntry) {
        bytes = entry.bytes
        records = Int(entry.index.records)
        arrivalFirst = entry.index.arrivalFirst
        sessions =
            entry.isSealed && entry.damage.isEmpty
            ? Set(entry.index.parts.lazy.filter { $0.records > 0 }.map(\.session)) : nil
    }

    /// Describes a segment that an earlier run left.
    init(number: UInt64, on disk: any Disk) {
        let file = try? disk.open(SegmentFormat.fileName(of: number), .read)
        bytes = (try? file?.size()) ?? 0
        (records, arrivalFirst, sessions) = (0, .max, nil)
        isEmptied = file != nil && bytes == 0
    }

    /// Whether bytes of one of the sessions may be left.
    func mayHold(_ others: Set<SessionID>) -> Bool {
        !isEmptied && sessions.map { !$0.isDisjoint(with: others) } ?? true
    }
}

/// The mark `000000000004.first`: segments before 4 were deleted, even if their files still exist.
///
/// The mark exists only while an older file cannot be removed and later ones are. Without it a
/// start would take the removed segments for lost.
enum FirstMark {
    static let suffix = ".first"

    static func name(_ number: UInt64) -> String {
        SegmentFormat.fileName(of: number, suffix: suffix)
    }

    static func numbers(of names: [String]) -> Set<UInt64> {
        // No log has deleted so many. Without a limit a file name could use up the numbers.
        Set(
            names.compactMap { SegmentFormat.number(ofFile: $0, suffix: suffix) }
                .filter { $0 < SegmentFormat.numberMax })
    }

    /// - Parameters:
    ///   - number: The first segment that was not deleted.
    ///   - disk: The log's folder.
    /// - Throws: ``DiskError``
    static func store(_ number: UInt64, on disk: any Disk) throws(DiskError) {
        do throws(DiskError) { _ = try disk.open(name(number), .create) } catch {
            guard error.number == EEXIST else { throw error }
        }
        try disk.synchronizeNames()
    }
}

extension SegmentFormat {
    /// Numbers of the segments of a folder, ascending.
    ///
    /// - Parameter names: The folder's files.
    /// - Returns: Numbers of the log, and of deleted segments whose files still exist.
    static func segments(of names: [String]) -> (kept: [UInt64], deleted: [UInt64]) {
        let first = FirstMark.numbers(of: names).max() ?? 0
        let numbers = names.compactMap { number(ofFile: $0) }.sorted()
        let place = numbers.firstIndex { $0 >= first } ?? numbers.endIndex
        return (Array(numbers[place...]), Array(numbers[..<place]))
    }
}
