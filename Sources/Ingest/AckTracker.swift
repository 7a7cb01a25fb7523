import SensorModel

/// The highest sequence below which every accepted frame of a session is on disk.
///
/// It keeps a short list of marks: "sequence s is covered once record r is on disk", both rising.
/// When the list is long, neighbors merge, and several later frames share one mark. An ack can then
/// be late by a thirtieth of the waiting frames, but never early.
struct AckTracker: Sendable {
    private static let marksMax = 64

    private struct Mark {
        var sequence: UInt32
        var offset: RecordOffset
    }

    /// The acknowledged sequence; it never falls.
    private(set) var acknowledged: UInt32
    private var marks: [Mark] = []
    /// Frames that share one mark, and frames in the last mark so far.
    private var framesEach = 1
    private var framesInLast = 0
    /// Finished marks at the front.
    private var doneMarks = 0
    /// Whether an ack is due without a new sync, because ``passed(_:)`` found no mark to extend.
    private(set) var hasNews = false

    init(acknowledged: UInt32) {
        self.acknowledged = acknowledged
    }

    var isWaiting: Bool { marks.count > doneMarks || hasNews }

    /// Adds a frame that the log has; `sequence` is above every earlier one.
    mutating func recorded(_ sequence: UInt32, at offset: RecordOffset) {
        if framesInLast < framesEach, marks.count > doneMarks {
            marks[marks.count - 1] = Mark(sequence: sequence, offset: offset)
            framesInLast += 1
            return
        }
        if marks.count == Self.marksMax { makeRoom() }
        marks.append(Mark(sequence: sequence, offset: offset))
        framesInLast = 1
    }

    /// Adds a late frame of a gap; higher frames that are not acknowledged yet wait for it too.
    mutating func recordedLate(_ sequence: UInt32, at offset: RecordOffset) {
        var last = acknowledged
        while let mark = marks.last, marks.count > doneMarks, mark.sequence >= sequence {
            last = max(last, mark.sequence)
            marks.removeLast()
        }
        marks.append(Mark(sequence: last, offset: offset))
        framesInLast = framesEach
    }

    /// Passes a number that is never recorded, or a gap's end; above every earlier one.
    mutating func passed(_ sequence: UInt32) {
        if marks.count > doneMarks {
            marks[marks.count - 1].sequence = sequence
        } else {
            acknowledged = max(acknowledged, sequence)
            hasNews = true
        }
    }

    /// - Parameter end: Offset before which every record is on disk.
    /// - Returns: The ack to send; `nil` if there is none.
    mutating func durable(upTo end: RecordOffset) -> UInt32? {
        var changed = hasNews
        hasNews = false
        while doneMarks < marks.count, marks[doneMarks].offset < end {
            acknowledged = max(acknowledged, marks[doneMarks].sequence)
            doneMarks += 1
            changed = true
        }
        if doneMarks == marks.count {
            marks.removeAll(keepingCapacity: true)
            doneMarks = 0
            framesEach = 1
        } else if changed, marks.count - doneMarks < Self.marksMax / 8 {
            framesEach = max(framesEach / 2, 1)
        }
        return changed ? acknowledged : nil
    }

    /// Drops finished marks, or else every other mark, whose frames then wait for the next mark.
    private mutating func makeRoom() {
        if doneMarks >= Self.marksMax / 2 {
            marks.removeFirst(doneMarks)
        } else {
            var kept: [Mark] = []
            kept.reserveCapacity(Self.marksMax)
            for index in doneMarks..<marks.count where (marks.count - 1 - index) % 2 == 0 {
                kept.append(marks[index])
            }
            marks = kept
            framesEach *= 2
        }
        doneMarks = 0
    }
}
