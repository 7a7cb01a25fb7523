import Glibc
public import SensorModel

/// A frame, and the delay until its device can send it.
public struct SimulatedFrame: Hashable, Sendable {
    public var frame: Frame
    /// Time from the frame's device time to its sending: a batch waits for its last sample.
    public var sendDelayMicroseconds: Int64
}

/// A runner with a watch, generated from a seed: the same seed gives the same run.
///
/// Frames come in order of device time and are generated one second at a time. ``truth`` and
/// ``pauses`` have the true values.
public struct SimulatedRunner: Sendable {
    public let plan: RunPlan
    public let settings: RunnerSettings
    /// One value for each whole second, oldest first; see ``RunnerSettings/keepsTruth``.
    public private(set) var truth: [RunnerTruth] = []
    public private(set) var pauses: [TruePause] = []

    private var body: Body
    private var gait: GaitModel
    private var route: RouteModel
    private var position: PositionSensor
    private var heart: HeartSensor
    private var footPod: FootPod?
    private var generator: SeededGenerator
    private var seconds = 0
    private var sequence: UInt32 = 0
    private var pausedByHand = false
    private var hasEnded = false
    private var pending: [SimulatedFrame] = []
    private var handedOut = 0

    public init(seed: UInt64, plan: RunPlan, settings: RunnerSettings = RunnerSettings()) {
        precondition(
            settings.motionRate == 0
                || (1...Limits.motionSamplesMax).contains(settings.samplesPerFrame)
                    && settings.motionRate % settings.samplesPerFrame == 0
        )
        self.plan = plan
        self.settings = settings
        var generator = SeededGenerator(seed: seed)
        body = Body(settings, generator.fork())
        gait = GaitModel(settings, generator.fork())
        route = RouteModel(settings, generator.fork())
        position = PositionSensor(settings, generator.fork())
        heart = HeartSensor(settings, generator.fork())
        self.generator = generator
        // The foot pod has its own seed, so that runs without one stay the same.
        footPod = settings.footPod.map { FootPod($0, SeededGenerator(seed: seed &+ 0x0F00_7B0D)) }
    }

    /// Returns the next frame, numbered from 1; `nil` after the end of the plan.
    public mutating func next() -> SimulatedFrame? {
        while handedOut == pending.count {
            pending.removeAll(keepingCapacity: true)
            handedOut = 0
            guard !hasEnded else { return nil }
            runSecond()
        }
        var frame = pending[handedOut]
        handedOut += 1
        sequence += 1
        frame.frame.sequence = FrameSequence(rawValue: sequence)
        return frame
    }

    private func time(_ seconds: Double) -> Timestamp {
        settings.startTime.advanced(byMicroseconds: Int64((seconds * 1_000_000).rounded()))
    }

    private mutating func runSecond() {
        let start = Double(seconds)
        if seconds == 0 { add(.control(.start), at: 0) }
        guard let leg = plan.leg(at: start)?.leg else {
            add(.control(.stop), at: start)
            hasEnded = true
            return
        }
        if leg.pausedByHand != pausedByHand {
            pausedByHand = leg.pausedByHand
            add(.control(pausedByHand ? .pause : .resume), at: start)
        }
        sampleSlowSensors(at: start)
        move(to: leg.speed, from: start)
        body.advanceSecond()
        gait.advanceSecond()
        route.advanceSecond()
        seconds += 1
        noteTruth()
        pending.sort { $0.frame.deviceTime < $1.frame.deviceTime }
    }

    /// Moves for one second, in time steps of the motion sensor.
    private mutating func move(to speed: Double, from start: Double) {
        let rate = settings.motionRate > 0 ? settings.motionRate : 20
        let perFrame = settings.motionRate > 0 ? settings.samplesPerFrame : rate
        let step = 1 / Double(rate)
        let interval = UInt32(1_000_000 / rate)
        var traits: MotionTraits = settings.hasGyroscope ? .hasRotation : []
        if settings.includesGravity { traits.insert(.includesGravity) }
        var moved = 0
        for first in stride(from: 0, to: rate, by: perFrame) {
            var samples: [MotionSample] = []
            samples.reserveCapacity(perFrame)
            for _ in 0..<perFrame {
                body.advance(to: speed, by: step)
                route.advance(to: body.distance)
                notePause(at: start + Double(moved + 1) * step)
                moved += 1
                if settings.motionRate > 0 { samples.append(gait.sample(body)) }
            }
            guard !samples.isEmpty else { continue }
            let batch = MotionBatch(
                traits: traits, intervalMicroseconds: perFrame > 1 ? interval : 0,
                samples: samples)
            add(
                .motion(batch), at: start + Double(first) * step,
                delay: Int64(perFrame - 1) * Int64(interval))
        }
    }

    private mutating func sampleSlowSensors(at start: Double) {
        if settings.sendsHeartRate, let sample = heart.sample(body.heartRate) {
            add(.heartRate(sample), at: start + 0.31)
        }
        if settings.sendsLocation,
            let fix = position.fix(route, speed: body.speed, at: start)
        {
            add(.location(fix), at: start, delay: 250_000)
        }
        if let measured = footPod?.sample(body) { add(.measured(measured), at: start + 0.4) }
        if settings.sendsPressure {
            let hectopascals =
                1013.25 * pow(1 - 2.25577e-5 * route.altitude, 5.25588)
                + 0.02 * generator.gaussian()
            add(.pressure(hectopascals: Float(hectopascals)), at: start + 0.5)
        }
        if settings.sendsStatus, seconds % 60 == 0 {
            let percent = max(90 - Double(seconds) / 3600 * 8, 1)
            add(
                .status(DeviceStatus(batteryPercent: UInt8(percent), charging: false)),
                at: start + 0.7)
        }
    }

    private mutating func add(
        _ payload: Frame.Payload, at seconds: Double, delay: Int64 = 0
    ) {
        pending.append(
            SimulatedFrame(
                frame: Frame(sequence: .none, deviceTime: time(seconds), payload: payload),
                sendDelayMicroseconds: delay))
    }

    private mutating func notePause(at seconds: Double) {
        if let open = pauses.last, open.end == nil {
            if !body.isStanding { pauses[pauses.count - 1].end = time(seconds) }
        } else if body.isStanding {
            if !settings.keepsTruth { pauses.removeAll() }
            pauses.append(TruePause(start: time(seconds), end: nil, byHand: pausedByHand))
        }
    }

    private mutating func noteTruth() {
        let now = RunnerTruth(
            deviceTime: time(Double(seconds)), seconds: Double(seconds),
            distanceMeters: body.distance, speedMetersPerSecond: body.speed,
            steps: Int(body.stepPhase), cadence: body.cadence, heartRate: body.heartRate,
            latitude: route.latitude, longitude: route.longitude,
            altitudeMeters: route.altitude, climbMeters: route.climb,
            isStanding: body.isStanding, isPausedByHand: pausedByHand)
        if !settings.keepsTruth { truth.removeAll(keepingCapacity: true) }
        truth.append(now)
    }
}
