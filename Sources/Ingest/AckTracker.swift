import SensorModel

/// Up to which sequence everything a session had accepted is on disk.
///
/// A short list of "sequence s is covered once record r is on disk", both rising. When it grows
/// long every other mark goes: the sequences of a lost mark wait for the next one. So an ack can
/// come a little late, and never early.
struct AckTracker: Sendable {
    private static let marksMax = 64

    private struct Mark {
        var sequence: UInt32
        var offset: RecordOffset
    }

    /// Never falls.
    private(set) var acknowledged: UInt32
    private var marks: [Mark] = []
    /// Marks at the front that are done with.
    private var doneMarks = 0
    /// A late frame went to disk below ``acknowledged``, or a refused one passed: say it again.
    private var hasNews = false

    init(acknowledged: UInt32) {
        self.acknowledged = acknowledged
    }

    var isWaiting: Bool { marks.count > doneMarks || hasNews }

    /// The frame lies in the log; `sequence` is above every other so far.
    mutating func recorded(_ sequence: UInt32, at offset: RecordOffset) {
        if marks.count == Self.marksMax { thinOut() }
        marks.append(Mark(sequence: sequence, offset: offset))
    }

    /// A frame of a gap came after all. What is not acknowledged yet and lies above it has to wait
    /// for it too.
    mutating func recordedLate(_ sequence: UInt32, at offset: RecordOffset) {
        var last = acknowledged
        while let mark = marks.last, marks.count > doneMarks, mark.sequence >= sequence {
            last = max(last, mark.sequence)
            marks.removeLast()
        }
        marks.append(Mark(sequence: last, offset: offset))
    }

    /// A number that will never be recorded, or the end of a gap; above every other so far.
    mutating func passed(_ sequence: UInt32) {
        if marks.count > doneMarks {
            marks[marks.count - 1].sequence = sequence
        } else {
            acknowledged = max(acknowledged, sequence)
            hasNews = true
        }
    }

    /// - Parameter end: Every record before it is on disk.
    /// - Returns: The ack to send; `nil` where there is nothing to say.
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
        }
        return changed ? acknowledged : nil
    }

    private mutating func thinOut() {
        var kept: [Mark] = []
        kept.reserveCapacity(Self.marksMax)
        let waiting = marks.count - doneMarks
        for index in doneMarks..<marks.count {
            // Every other one when all are waiting, always the last.
            if waiting < Self.marksMax / 2 || (marks.count - 1 - index) % 2 == 0 {
                kept.append(marks[index])
            }
        }
        marks = kept
        doneMarks = 0
    }
}
