import SensorModel
import WireFormat

/// The holes between the frames of one connection, as the pipeline passes them: in the order of
/// their numbers, not of their arrival. And what its buttons and notes cost.
struct FrameHoles {
    /// Of a session's first frame, which has none before it.
    static let ticksOfFirst = 200.0
    /// Frames this close are no hole, whatever their order.
    private static let secondsMin = 1.5
    /// Seconds of a hole whose metrics are recorded, and what each costs more.
    private static let (shownSeconds, shownTicks) = (60.0, 2.0)
    /// Each is an event, which goes to every viewer of each of the device's shares; heart rates and
    /// positions are gathered. So 50 buttons a second, and 1,000 notes.
    private static let (ticksOfButton, ticksOfNote) = (400.0, 20.0)
    /// What reading a long text costs, as 5,000 fields that nobody knows do: 8 µs a KiB. It is read
    /// again each time that a frame of it had to wait.
    private static let (longTextBytes, textBytesOfTick) = (4 << 10, 1024.0)
    /// Stretches that are remembered: of 1,000 frames that wait behind a gap few need more.
    private static let stretchesMax = 64

    /// Frames without a gap between their numbers, which were let through.
    private struct Stretch {
        var first: UInt32
        var firstTime: Timestamp
        var last: UInt32
        var lastTime: Timestamp
    }

    let pace: HolePace
    /// In the order of their numbers.
    private var stretches: [Stretch] = []
    /// Whether the lowest stretches were forgotten.
    private var isCut = false
    /// Of the last frame without a number.
    private var lastUncounted: Timestamp?

    init(pace: HolePace) {
        self.pace = pace
    }

    /// - Parameters:
    ///   - textBytes: Length of the next text.
    ///   - arrival: The daemon's clock.
    /// - Returns: `false`: the text must wait.
    func mayRead(textBytes: Int, at arrival: Timestamp) -> Bool {
        let ticks = Self.ticks(ofTextBytes: textBytes)
        return ticks == 0 || pace.hasRoom(for: ticks, at: arrival)
    }

    /// Takes what reading a text has cost: not before, or a frame in it that needs room, too, would
    /// never find any.
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
    /// - Returns: What passing the holes around the frame and between its samples costs, and what a
    ///   button or a note does, 0 for most frames; `nil`: the frame must wait.
    func ticks(
        before header: FrameHeader, payload: Span<UInt8>, at arrival: @autoclosure () -> Timestamp
    ) -> Double? {
        let ticks =
            ticks(around: header) + Self.ticksBetweenSamples(header.kind, payload)
            + Self.ticksOfEvent(header.kind)
        guard ticks == 0 || pace.hasRoom(for: isFirst ? 0 : ticks, at: arrival()) else {
            return nil
        }
        return ticks
    }

    /// Notes a frame that was let through.
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

    /// Whether no frame was let through yet.
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
        // A frame between two parts a hole that was counted already.
        let counted = next.map { Self.ticks(from: before, to: $0.firstTime) } ?? 0
        return max(0, Self.ticks(from: before, to: time) + after - counted)
    }

    /// Index of the stretch with the number, or of the first behind it.
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

    /// As ``ticksOfEvent(_:)``.
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

    /// Where the session's last frame is not known here.
    static let ticksOfUnknown = ticks(seconds: 86_400)

    static func ticks(from first: Timestamp, to second: Timestamp) -> Double {
        ticks(seconds: second.seconds(since: first))
    }

    /// As `TimeStage` passes them: each second of ten minutes, then each minute.
    private static func ticks(seconds: Double) -> Double {
        let seconds = abs(seconds)
        guard seconds > secondsMin else { return 0 }
        return min(seconds, shownSeconds) * shownTicks + min(seconds, 600)
            + min(max(0, seconds - 600), 86_400) / 60
    }
}
