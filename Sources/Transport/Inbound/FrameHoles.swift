import SensorModel
import WireFormat

/// The cost of one connection's holes, buttons and notes, in ticks of ``HolePace``.
///
/// Holes lie between frames in the order of their sequences, as the pipeline passes them.
struct FrameHoles {
    /// Cost of a session's first frame, which follows no other.
    static let ticksOfFirst = 200.0
    /// Frames at most this far apart have no hole between them, in either order.
    private static let secondsMin = 1.5
    /// Seconds of a hole whose metrics are recorded, and the extra cost of each.
    private static let (shownSeconds, shownTicks) = (60.0, 2.0)
    /// Costs that allow 50 buttons or 1,000 notes a second. Each is an event that goes to every
    /// viewer of the device's shares, while heart rates and positions are coalesced.
    private static let (ticksOfButton, ticksOfNote) = (400.0, 20.0)
    /// Cost of reading a long text, such as 5,000 unknown fields: 8 µs a KiB. The text is read
    /// again each time a frame of it had to wait.
    private static let (longTextBytes, textBytesOfTick) = (4 << 10, 1024.0)
    /// Maximum number of stretches kept; 1,000 frames that wait behind a gap rarely need more.
    private static let stretchesMax = 64

    /// A run of admitted frames with consecutive sequences.
    private struct Stretch {
        var first: UInt32
        var firstTime: Timestamp
        var last: UInt32
        var lastTime: Timestamp
    }

    let pace: HolePace
    /// The stretches in rising order.
    private var stretches: [Stretch] = []
    /// Whether the lowest stretches were forgotten.
    private var isCut = false
    /// Device time of the last frame without a number.
    private var lastUncounted: Timestamp?

    init(pace: HolePace) {
        self.pace = pace
    }

    /// - Parameters:
    ///   - textBytes: Length of the next text.
    ///   - arrival: The daemon's clock.
    /// - Throws: What the text must wait for.
    func checkRoom(textBytes: Int, at arrival: Timestamp) throws(HolePace.Need) {
        let ticks = Self.ticks(ofTextBytes: textBytes)
        if ticks != 0 { try pace.checkRoom(for: ticks, at: arrival) }
    }

    /// Charges the cost of reading a text. Charged before the read, it would leave no room for a
    /// frame in the text that needs some.
    func haveRead(textBytes: Int) {
        let ticks = Self.ticks(ofTextBytes: textBytes)
        if ticks > 0 { pace.take(ticks, shared: ticks) }
    }

    private static func ticks(ofTextBytes bytes: Int) -> Double {
        bytes > longTextBytes ? Double(bytes) / textBytesOfTick : 0
    }

    /// - Parameters:
    ///   - header: The next frame.
    ///   - payload: Its payload, checked.
    ///   - arrival: The daemon's clock.
    /// - Returns: The cost of the holes around the frame and between its samples, and of a button
    ///   or note; 0 for most frames.
    /// - Throws: What the frame must wait for.
    func ticks(
        before header: FrameHeader, payload: Span<UInt8>, at arrival: @autoclosure () -> Timestamp
    ) throws(HolePace.Need) -> Double {
        let ticks =
            ticks(around: header) + Self.ticksBetweenSamples(header.kind, payload)
            + Self.ticksOfEvent(header.kind)
        if ticks != 0 { try pace.checkRoom(for: isFirst ? 0 : ticks, at: arrival()) }
        return ticks
    }

    /// Notes an admitted frame and charges its cost.
    mutating func passed(_ header: FrameHeader, ticks: Double) {
        if ticks > 0 { pace.take(ticks, shared: isFirst ? 0 : ticks) }
        guard header.sequence.isCounted else { return lastUncounted = header.deviceTime }
        let (sequence, time) = (header.sequence.rawValue, header.deviceTime)
        let index = index(of: sequence)
        if index < stretches.count, stretches[index].first <= sequence { return }
        stretches.insert(
            Stretch(first: sequence, firstTime: time, last: sequence, lastTime: time), at: index)
        join(at: index + 1)
        join(at: index)
        if stretches.count > Self.stretchesMax {
            stretches.removeFirst()
            isCut = true
        }
    }

    /// Whether no frame was admitted yet.
    private var isFirst: Bool { stretches.isEmpty && lastUncounted == nil }

    /// Joins a stretch with the one before it, if no number is between them.
    private mutating func join(at index: Int) {
        guard index > 0, index < stretches.count,
            stretches[index].first - stretches[index - 1].last == 1
        else { return }
        stretches[index - 1].last = stretches[index].last
        stretches[index - 1].lastTime = stretches[index].lastTime
        stretches.remove(at: index)
    }

    private func ticks(around header: FrameHeader) -> Double {
        let time = header.deviceTime
        guard header.sequence.isCounted else {
            return lastUncounted.map { Self.ticks(from: $0, to: time) } ?? Self.ticksOfUnknown
        }
        let sequence = header.sequence.rawValue
        guard !stretches.isEmpty else {
            return sequence == 1 ? Self.ticksOfFirst : Self.ticksOfUnknown
        }
        let index = index(of: sequence)
        let next = index < stretches.count ? stretches[index] : nil
        // A duplicate.
        if let next, next.first <= sequence { return 0 }
        let before = index > 0 ? stretches[index - 1].lastTime : nil
        let after = next.map { Self.ticks(from: time, to: $0.firstTime) } ?? 0
        guard let before else { return isCut ? Self.ticksOfUnknown + after : after }
        // A frame between two others divides a hole that was charged already.
        let counted = next.map { Self.ticks(from: before, to: $0.firstTime) } ?? 0
        return max(0, Self.ticks(from: before, to: time) + after - counted)
    }

    /// Index of the stretch with the sequence, or of the first stretch after it.
    private func index(of sequence: UInt32) -> Int {
        guard let last = stretches.last, last.last >= sequence else { return stretches.count }
        return stretches.firstIndex { $0.last >= sequence } ?? stretches.count
    }

    private static func ticksBetweenSamples(_ kind: FrameKind, _ payload: Span<UInt8>) -> Double {
        guard kind == .motion || kind == .exactMotion,
            let layout = try? MotionLayout(kind: kind, payload: payload), layout.count > 1
        else { return 0 }
        return Double(layout.count - 1)
            * ticks(seconds: Double(layout.intervalMicroseconds) / 1_000_000)
    }

    /// Cost of a button or a note; 0 for any other payload.
    static func ticks(of payload: Frame.Payload) -> Double {
        switch payload {
        case .control: ticksOfEvent(.control)
        case .marker: ticksOfEvent(.marker)
        default: 0
        }
    }

    private static func ticksOfEvent(_ kind: FrameKind) -> Double {
        switch kind {
        case .control: ticksOfButton
        case .marker: ticksOfNote
        default: 0
        }
    }

    /// Cost of a frame whose predecessor is not known here: that of a day's hole.
    static let ticksOfUnknown = ticks(seconds: 86_400)

    static func ticks(from first: Timestamp, to second: Timestamp) -> Double {
        ticks(seconds: second.seconds(since: first))
    }

    /// Cost of a hole, which `TimeStage` passes by seconds for ten minutes, then by minutes.
    private static func ticks(seconds: Double) -> Double {
        let seconds = abs(seconds)
        guard seconds > secondsMin else { return 0 }
        return min(seconds, shownSeconds) * shownTicks + min(seconds, 600)
            + min(max(0, seconds - 600), 86_400) / 60
    }
}
