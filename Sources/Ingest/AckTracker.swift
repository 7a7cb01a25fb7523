import SensorModel

/// Up to which sequence everything a session had accepted is on disk.
///
/// A short list of "sequence s is covered once record r is on disk", both rising. When it grows
/// long, neighbours become one, and later frames share a mark as well: an ack can come a little
/// late, by a thirtieth of what waits, and never early.
struct AckTracker: Sendable {
    private static let marksMax = 64

    private struct Mark {
        var sequence: UInt32
        var offset: RecordOffset
    }

    /// Never falls.
    private(set) var acknowledged: UInt32
    private var marks: [Mark] = []
    /// Frames that share a mark, and how many the last mark has so far.
    private var framesEach = 1
    private var framesInLast = 0
    /// Marks at the front that are done with.
    private var doneMarks = 0
    /// A late frame went to disk below ``acknowledged``, or a refused one passed: say it again.
    private(set) var hasNews = false

    init(acknowledged: UInt32) {
        self.acknowledged = acknowledged
    }

    var isWaiting: Bool { marks.count > doneMarks || hasNews }

    /// The frame lies in the log; `sequence` is above every other so far.
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

    /// A frame of a gap came after all. What is not acknowledged yet and lies above it has to wait
    /// for it too.
    mutating func recordedLate(_ sequence: UInt32, at offset: RecordOffset) {
        var last = acknowledged
        while let mark = marks.last, marks.count > doneMarks, mark.sequence >= sequence {
            last = max(last, mark.sequence)
            marks.removeLast()
        }
        marks.append(Mark(sequence: last, offset: offset))
        framesInLast = framesEach
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
            framesEach = 1
        } else if changed, marks.count - doneMarks < Self.marksMax / 8 {
            framesEach = max(framesEach / 2, 1)
        }
        return changed ? acknowledged : nil
    }

    /// Drops what is done with, or else every other mark: its frames wait for the next one.
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
