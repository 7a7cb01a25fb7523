public import SensorModel

/// What the log remembers of a session: enough to go on where it stopped.
public struct SessionRecovery: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// As the hello said.
    public var recorded: Bool
    /// The highest sequence on disk, or the end of the last gap if that is higher.
    public var highest: FrameSequence
    /// Of the gaps on disk, what no late frame has filled; rising, not touching each other.
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

    /// Takes in one more frame record of the session, in the order of the log.
    public mutating func recovered(frame sequence: FrameSequence) {
        guard sequence.isCounted else { return }
        if sequence > highest {
            highest = sequence
        } else {
            var ranges = GapRanges(gaps)
            _ = ranges.take(sequence.rawValue)
            gaps = ranges.ranges
        }
    }

    /// Takes in one more gap record of the session, in the order of the log.
    public mutating func recovered(gapFrom first: FrameSequence, to last: FrameSequence) {
        guard first.isCounted, first <= last else { return }
        var ranges = GapRanges(gaps)
        ranges.append(first.rawValue...last.rawValue)
        gaps = ranges.ranges
        highest = max(highest, last)
    }
}
