import SensorModel

/// One session's order: which number is next, what waits for it, what never came.
///
/// ```
///   1 … next-1         passed: recorded, refused, or in a gap
///   next               what is waited for while anything is held
///   held               above next
/// ```
struct SessionState {
    let session: SessionID
    let device: DeviceID
    var connection: ConnectionID?
    var clock: ClockModel
    var acks: AckTracker
    /// Of frames without numbers, by how many have come; they use up no number of the device's.
    var arrivalAcks = AckTracker(acknowledged: 0)
    var gaps: GapRanges
    var held = HeldFrames()
    /// The sequence that passes at once. 64 bits: one more than the last of 32.
    private(set) var next: UInt64
    /// Frames come without numbers, and the daemon counts them; `nil` before the first frame.
    private(set) var countsArrivals: Bool?
    /// Frames without numbers so far, and those of them that lie in the log.
    private var arrivals: UInt32 = 0
    private var arrivalsRecorded: UInt32 = 0
    /// The log may know of it: a frame has come, or it was recovered.
    var isUsed = false
    /// When the pipeline wants to hear of this session even if nothing comes.
    var wakeTime: Timestamp?
    /// The earliest entry for it in the deadline queue.
    var queuedDeadline: Timestamp?

    init(_ recovery: SessionRecovery) {
        session = recovery.session
        device = recovery.device
        clock = ClockModel(recorded: recovery.recorded)
        acks = AckTracker(acknowledged: recovery.highest.rawValue)
        gaps = GapRanges(recovery.gaps)
        next = UInt64(recovery.highest.rawValue) + 1
    }

    var recovery: SessionRecovery {
        SessionRecovery(
            session: session, device: device, recorded: clock.recorded,
            highest: FrameSequence(rawValue: UInt32(next - 1)), gaps: gaps.ranges)
    }

    /// Where a number stands.
    enum Place {
        case next
        /// In a gap, and now taken out of it.
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

    /// A frame came without a number.
    ///
    /// It is recorded without one: the device may begin to number at any time, and all numbers are
    /// its own. Only a device that has sent no number yet is told how many frames are on disk. A
    /// source's name is none of its frames: it goes along with the heart rate behind it.
    mutating func countArrival(of kind: FrameKind) {
        guard kind != .source, countsArrivals != false, arrivals < .max else { return }
        countsArrivals = true
        arrivals += 1
    }

    var hasArrivalToRecord: Bool { arrivalsRecorded < arrivals }

    /// A frame without a number lies in the log.
    mutating func recordedArrival(at offset: RecordOffset) {
        assert(hasArrivalToRecord)
        arrivalsRecorded = arrivals
        arrivalAcks.recorded(arrivals, at: offset)
    }

    var isAwaitingAck: Bool { acks.isWaiting || arrivalAcks.isWaiting }

    /// - Parameter end: Every record before it is on disk.
    /// - Returns: The ack to send; `nil` where there is nothing to say.
    mutating func durable(upTo end: RecordOffset) -> UInt32? {
        let arrival = arrivalAcks.durable(upTo: end)
        let numbered = acks.durable(upTo: end)
        return countsArrivals == true ? arrival : numbered
    }

    mutating func pass(_ sequence: UInt32) {
        assert(UInt64(sequence) == next)
        next += 1
    }

    /// Gives up what is missing before the first held frame.
    ///
    /// - Returns: What was missing; `nil` when nothing was.
    mutating func passHole(to first: UInt32) -> ClosedRange<UInt32>? {
        guard UInt64(first) > next else { return nil }
        let missing = UInt32(next)...(first - 1)
        gaps.append(missing)
        next = UInt64(first)
        return missing
    }
}
