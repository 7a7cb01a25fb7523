import SensorModel

/// Faults in the connection between a watch and the daemon, and in the watch's clock.
public struct Impairments: Hashable, Sendable {
    public struct Outage: Hashable, Sendable {
        /// Start, in device time since the first frame.
        public var startSeconds: Double
        public var seconds: Double

        public init(startSeconds: Double, seconds: Double) {
            self.startSeconds = startSeconds
            self.seconds = seconds
        }
    }

    /// Share of lost frames, whose sequences are missing.
    public var lossShare = 0.0
    /// Share of frames that arrive twice.
    public var duplicateShare = 0.0
    /// Share of frames that arrive after later ones.
    public var lateShare = 0.0
    /// Largest extra delay of late frames.
    public var lateSecondsMax = 5.0
    /// Mean network delay. Delays have a long-tailed distribution.
    public var jitterSeconds = 0.0
    /// Periods without a connection. Frames wait and arrive together at the end.
    public var outages: [Outage] = []
    /// Device clock minus true time at the start.
    public var clockOffsetSeconds = 0.0
    /// Drift by which the device's clock runs fast, in parts per million.
    public var clockDriftPartsPerMillion = 0.0

    public init() {}
}

/// A runner with a bad connection, whose frames come in order of arrival.
public struct ImpairedRunner: Sendable {
    public private(set) var runner: SimulatedRunner
    public let impairments: Impairments
    private var generator: SeededGenerator
    private var start: Timestamp?
    /// Frames sent but not yet arrived, in order of arrival.
    private var underWay: [(arrival: Int64, frame: SimulatedFrame)] = []
    private var lastReady = Int64.min
    private var isDry = false

    public init(_ runner: SimulatedRunner, _ impairments: Impairments, seed: UInt64) {
        self.runner = runner
        self.impairments = impairments
        generator = SeededGenerator(seed: seed)
    }

    /// Returns the next frame to arrive. ``SimulatedFrame/sendDelayMicroseconds`` counts from the
    /// frame's true time; ``Frame/deviceTime`` is by the device's clock.
    public mutating func next() -> SimulatedFrame? {
        // A frame made after this time cannot arrive before any earlier one.
        let reach = Int64((impairments.lateSecondsMax + 2) * 1_000_000)
        while !isDry {
            if let first = underWay.first, lastReady - first.arrival > reach { break }
            guard let frame = runner.next() else {
                isDry = true
                break
            }
            send(frame)
        }
        return underWay.isEmpty ? nil : underWay.removeFirst().frame
    }

    private mutating func send(_ frame: SimulatedFrame) {
        let trueTime = frame.frame.deviceTime
        let origin = start ?? trueTime
        start = origin
        let ready = trueTime.microseconds + frame.sendDelayMicroseconds
        lastReady = max(lastReady, ready)
        guard !generator.happens(impairments.lossShare) else { return }
        var arrival = Double(ready)
        if impairments.jitterSeconds > 0 {
            // At most 2 s, since `next()` must know when no earlier arrival is possible.
            arrival += 1e6 * min(delay(impairments.jitterSeconds), 2)
        }
        if generator.happens(impairments.lateShare) {
            arrival += 1e6 * generator.uniform() * impairments.lateSecondsMax
        }
        for outage in impairments.outages {
            let begin = Double(origin.microseconds) + outage.startSeconds * 1e6
            let end = begin + outage.seconds * 1e6
            if arrival >= begin, arrival < end { arrival = end }
        }
        deliver(frame, trueTime, origin, Int64(arrival))
        if generator.happens(impairments.duplicateShare) {
            let again = Int64(generator.uniform() * 1_000_000)
            deliver(frame, trueTime, origin, Int64(arrival) + again)
        }
    }

    /// Draws a delay from a uniform number: 1/(1-u) - 1 has the long tail of a busy network.
    private mutating func delay(_ mean: Double) -> Double {
        let draw = min(generator.uniform(), 0.99)
        return mean * (1 / (1 - draw) - 1) / 3.6
    }

    private mutating func deliver(
        _ frame: SimulatedFrame, _ trueTime: Timestamp, _ origin: Timestamp, _ arrival: Int64
    ) {
        var moved = frame
        let elapsed = trueTime.seconds(since: origin)
        let skew =
            impairments.clockOffsetSeconds + elapsed * impairments.clockDriftPartsPerMillion / 1e6
        moved.frame.deviceTime = trueTime.advanced(bySeconds: skew)
        moved.sendDelayMicroseconds = arrival - trueTime.microseconds
        var index = underWay.count
        while index > 0, underWay[index - 1].arrival > arrival { index -= 1 }
        underWay.insert((arrival, moved), at: index)
    }
}
