import SensorModel

/// The frame order of one session: the next number, the held frames and the missing ones.
///
/// ```
///   1 … next-1         passed: recorded, refused, or in a gap
///   next               awaited while any frame is held
///   held               above next
/// ```
struct SessionState {
    let session: SessionID
    let device: DeviceID
    var connection: ConnectionID? {
        didSet { if connection != oldValue { arrivalAck = 0 } }
    }
    var clock: ClockModel
    var acks: AckTracker
    /// Acks of frames without numbers, by count instead of the device's numbers.
    var arrivalAcks = AckTracker(acknowledged: 0)
    var gaps: GapRanges
    var held = HeldFrames()
    /// The sequence that passes without a wait. 64 bits, so that it can exceed the last sequence.
    private(set) var next: UInt64
    /// Whether acks count frames, because they have no numbers; `nil` before the first frame.
    private(set) var countsArrivals: Bool?
    /// Frames without numbers so far, and how many of them are in the log.
    private var arrivals: UInt32 = 0
    private var arrivalsRecorded: UInt32 = 0
    /// The connection's last ack by count. Acks never fall within a connection, so an ack by number
    /// must be higher.
    private var arrivalAck: UInt32 = 0
    /// Whether the log may have records of the session: a frame came, or the session was recovered.
    var isUsed = false
    /// The time at which the pipeline handles this session even without a frame.
    var wakeTime: Timestamp?
    /// The session's earliest entry in the deadline queue.
    var queuedDeadline: Timestamp?

    init(_ recovery: SessionRecovery) {
        session = recovery.session
        device = recovery.device
        clock = ClockModel(recorded: recovery.recorded)
        acks = AckTracker(acknowledged: recovery.highest.rawValue)
        gaps = GapRanges(recovery.gaps)
        next = UInt64(recovery.highest.rawValue) + 1
        countsArrivals = recovery.highest.isCounted ? false : nil
    }

    var recovery: SessionRecovery {
        SessionRecovery(
            session: session, device: device, recorded: clock.recorded,
            highest: FrameSequence(rawValue: UInt32(next - 1)), gaps: gaps.ranges)
    }

    /// The place of a number in the order.
    enum Place {
        case next
        /// The number was in a gap, and is now removed from it.
        case late
        case ahead
        case duplicate
    }

    mutating func place(of sequence: UInt32) -> Place {
        countsArrivals = false
        let number = UInt64(sequence)
        if number == next { return .next }
        if number < next { return gaps.take(sequence) ? .late : .duplicate }
        return held.contains(sequence) ? .duplicate : .ahead
    }

    /// Counts a frame without a number.
    ///
    /// The frame is recorded without a number, because the device may begin to number at any time.
    /// The ack counts these frames only until the device sends its first number. A frame with a
    /// source's name does not count: it belongs to the next heart rate.
    mutating func countArrival(of kind: FrameKind) {
        guard kind != .source, countsArrivals != false, arrivals < .max else { return }
        countsArrivals = true
        arrivals += 1
    }

    var hasArrivalToRecord: Bool { arrivalsRecorded < arrivals }

    /// Notes that the log has the frames without a number that were counted so far.
    mutating func recordedArrival(at offset: RecordOffset) {
        assert(hasArrivalToRecord)
        arrivalsRecorded = arrivals
        arrivalAcks.recorded(arrivals, at: offset)
    }

    var isAwaitingAck: Bool { acks.isWaiting || arrivalAcks.isWaiting }

    /// - Parameter end: Offset before which every record is on disk.
    /// - Returns: The ack to send; `nil` if there is none.
    mutating func durable(upTo end: RecordOffset) -> UInt32? {
        let arrival = arrivalAcks.durable(upTo: end)
        let numbered = acks.durable(upTo: end)
        guard countsArrivals == true else {
            return numbered.flatMap { $0 > arrivalAck || arrivalAck == 0 ? $0 : nil }
        }
        arrivalAck = arrival ?? arrivalAck
        return arrival
    }

    mutating func pass(_ sequence: UInt32) {
        assert(UInt64(sequence) == next)
        next += 1
    }

    /// Gives up the missing frames before the first held one.
    ///
    /// - Returns: The missing range; `nil` if there was none.
    mutating func passHole(to first: UInt32) -> ClosedRange<UInt32>? {
        guard UInt64(first) > next else { return nil }
        let missing = UInt32(next)...(first - 1)
        gaps.append(missing)
        next = UInt64(first)
        return missing
    }
}
