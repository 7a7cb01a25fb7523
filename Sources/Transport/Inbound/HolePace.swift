import SensorModel
import Synchronization
import WireFormat

/// Limits the work that holes between a device's frames make, over all its connections and loops.
///
/// The pipeline passes the time between two frames second by second. So a few bytes with hours
/// between them cost as much as a recording of hours, and all other devices wait for it. A backlog
/// of positions a minute apart is read a few seconds later; nothing is refused (decision 0058).
final class HolePace: Sendable {
    /// Seconds passed in a row, and regained each second: some 0.2 s of the pipeline, and a sixth of
    /// its time at 8 µs each.
    static let ticksMax = 20_000.0
    static let ticksPerSecond = 20_000.0

    private struct State {
        var ticks = ticksMax
        var arrival = Timestamp(microseconds: .min)
    }

    private let state = Mutex(State())

    /// - Parameter arrival: The daemon's clock; one that was set back regains nothing.
    /// - Returns: Whether the next hole may be passed.
    func hasRoom(at arrival: Timestamp) -> Bool {
        state.withLock { state in
            let passed = max(0, arrival.seconds(since: state.arrival))
            state.arrival = arrival
            state.ticks = min(Self.ticksMax, state.ticks + Self.ticksPerSecond * passed)
            return state.ticks > 0
        }
    }

    /// Takes what a hole costs, which may be more than there is.
    func take(_ ticks: Double) {
        state.withLock { $0.ticks -= ticks }
    }
}

/// The holes between the frames of one connection, or of one request.
struct FrameHoles {
    /// Of the first frame: the session's last one is not known here.
    static let ticksOfFirst = 200.0
    /// Frames this close are no hole, whatever their order.
    private static let secondsMin = 1.5
    /// Seconds of a hole whose metrics are recorded, and what each costs more.
    private static let (shownSeconds, shownTicks) = (60.0, 2.0)

    let pace: HolePace
    private var lastDeviceTime: Timestamp?

    init(pace: HolePace) {
        self.pace = pace
    }

    /// - Parameters:
    ///   - header: The next frame.
    ///   - payload: Its payload, checked.
    ///   - arrival: The daemon's clock.
    /// - Returns: What passing the holes before the frame and between its samples costs, 0 for most
    ///   frames; `nil`: the frame must wait.
    func ticks(
        before header: FrameHeader, payload: Span<UInt8>, at arrival: @autoclosure () -> Timestamp
    ) -> Double? {
        let hole = lastDeviceTime.map { Self.ticks(seconds: header.deviceTime.seconds(since: $0)) }
        let ticks =
            (hole ?? Self.ticksOfFirst) + Self.ticksBetweenSamples(header.kind, payload)
        guard ticks == 0 || pace.hasRoom(at: arrival()) else { return nil }
        return ticks
    }

    /// Notes a frame that was let through.
    mutating func passed(_ header: FrameHeader, ticks: Double) {
        if ticks > 0 { pace.take(ticks) }
        lastDeviceTime = header.deviceTime
    }

    private static func ticksBetweenSamples(_ kind: FrameKind, _ payload: Span<UInt8>) -> Double {
        guard kind == .motion || kind == .exactMotion,
            let layout = try? MotionLayout(kind: kind, payload: payload), layout.count > 1
        else { return 0 }
        return Double(layout.count - 1)
            * ticks(seconds: Double(layout.intervalMicroseconds) / 1_000_000)
    }

    /// As `TimeStage` passes them: each second of ten minutes, then each minute.
    private static func ticks(seconds: Double) -> Double {
        let seconds = abs(seconds)
        guard seconds > secondsMin else { return 0 }
        return min(seconds, shownSeconds) * shownTicks + min(seconds, 600)
            + min(max(0, seconds - 600), 86_400) / 60
    }
}
