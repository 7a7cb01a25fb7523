import SensorModel

/// What goes wrong between a watch and the daemon.
public struct Impairments: Hashable, Sendable {
    public struct Outage: Hashable, Sendable {
        /// Device time since the first frame.
        public var startSeconds: Double
        public var seconds: Double

        public init(startSeconds: Double, seconds: Double) {
            self.startSeconds = startSeconds
            self.seconds = seconds
        }
    }

    /// Share of frames that never come; their numbers are missing.
    public var lossShare = 0.0
    /// Share of frames that come twice.
    public var duplicateShare = 0.0
    /// Share of frames that come after later ones.
    public var lateShare = 0.0
    /// How much later, at most.
    public var lateSecondsMax = 5.0
    /// Mean of the network's own delay, which is spread as waits are.
    public var jitterSeconds = 0.0
    /// No connection: frames wait and come all at once behind it.
    public var outages: [Outage] = []
    /// Device clock minus true time at the start.
    public var clockOffsetSeconds = 0.0
    /// Millionths by which the device's clock runs fast.
    public var clockDriftPartsPerMillion = 0.0

    public init() {}
}

/// A runner behind bad wiring. Frames come in the order in which they would arrive.
public struct ImpairedRunner: Sendable {
    public private(set) var runner: SimulatedRunner
    public let impairments: Impairments
    private var generator: SeededGenerator
    private var start: Timestamp?
    /// Sent and not arrived, by arrival.
    private var underWay: [(arrival: Int64, frame: SimulatedFrame)] = []
    private var lastReady = Int64.min
    private var isDry = false

    public init(_ runner: SimulatedRunner, _ impairments: Impairments, seed: UInt64) {
        self.runner = runner
        self.impairments = impairments
        generator = SeededGenerator(seed: seed)
    }

    /// The next frame to arrive; ``SimulatedFrame/sendDelayMicroseconds`` is from the frame's true
    /// time, its ``Frame/deviceTime`` by the device's clock.
    public mutating func next() -> SimulatedFrame? {
        // Whatever is made later than this leaves nothing that could still arrive before.
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
            // Ten mean waits at most: what follows must know when nothing can come before it.
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

    /// An even draw turned into a wait: 1/(1-u) - 1 has the long tail of a busy network.
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
