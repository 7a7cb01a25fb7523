public import SensorModel

/// The part of a session's state that the log restores, enough to continue the session.
public struct SessionRecovery: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// The `recorded` flag of the session's first hello.
    public var recorded: Bool
    /// The highest sequence on disk, or the end of the last gap if higher.
    public var highest: FrameSequence
    /// The parts of gaps on disk that no late frame has filled; rising, not adjacent.
    public var gaps: [ClosedRange<UInt32>]

    public init(
        session: SessionID, device: DeviceID, recorded: Bool = false,
        highest: FrameSequence = .none, gaps: [ClosedRange<UInt32>] = []
    ) {
        self.session = session
        self.device = device
        self.recorded = recorded
        self.highest = highest
        self.gaps = gaps
    }

    /// Adds the session's next frame record, in log order.
    public mutating func recover(frame sequence: FrameSequence) {
        guard sequence.isCounted else { return }
        if sequence > highest {
            highest = sequence
        } else {
            var ranges = GapRanges(gaps)
            _ = ranges.take(sequence.rawValue)
            gaps = ranges.ranges
        }
    }

    /// Adds the session's next gap record, in log order.
    public mutating func recover(gapFrom first: FrameSequence, to last: FrameSequence) {
        guard first.isCounted, first <= last else { return }
        var ranges = GapRanges(gaps)
        ranges.append(first.rawValue...last.rawValue)
        gaps = ranges.ranges
        highest = max(highest, last)
    }
}
