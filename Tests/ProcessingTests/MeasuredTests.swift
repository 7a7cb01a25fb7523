import SensorModel
import Simulator
import Testing

@testable import Processing

/// Values computed by sensors, compared with the daemon's own.
@Suite struct MeasuredTests {
    typealias Quantity = MeasuredValues.Quantity

    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    private static func at(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    private static func values(
        _ all: [Quantity: Double], source: String? = "pod",
        _ placement: MeasuredValues.Placement? = .foot
    ) throws -> MeasuredValues {
        var values = MeasuredValues(source: source, placement: placement)
        for (quantity, value) in all { try values.set(quantity, to: value) }
        return values
    }

    /// Runs a session of the values that `body` applies at each second; returns its final metrics.
    private static func metrics(
        seconds: Int, profile: RunnerProfile = RunnerProfile(),
        _ body: (inout SessionPipeline, Double, inout [StreamEvent]) throws -> Void
    ) rethrows -> Metrics {
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        for second in 0...seconds { try body(&pipeline, Double(second), &events) }
        pipeline.advance(to: at(Double(seconds) + 1), into: &events)
        return pipeline.metrics
    }

    /// A simulated run with a pod, and its truth.
    private static func run(
        minutes: Double = 6, _ profile: RunnerProfile = RunnerProfile(),
        _ change: (inout RunnerSettings) -> Void
    ) -> (metrics: [Metrics], truth: RunnerTruth?) {
        var settings = RunnerSettings()
        settings.footPod = RunnerSettings.FootPod()
        change(&settings)
        var runner = SimulatedRunner(seed: 3, plan: .easy(minutes: minutes), settings: settings)
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        while let next = runner.next() {
            pipeline.apply(next.frame.payload, at: next.frame.deviceTime, into: &events)
        }
        let metrics = events.compactMap { event in
            if case .metrics(let metrics) = event.kind { metrics } else { nil }
        }
        return (metrics, runner.truth.last)
    }

    private static func isNear(_ value: Double?, _ other: Double?, within share: Double) -> Bool {
        guard let value, let other else { return false }
        return abs(value - other) <= share * abs(other)
    }

    // MARK: Cadence

    @Test func `A sensor's cadence is shown where there is no motion, and goes stale`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0...20 {
            let values = try Self.values([.cadence: 170 + Double(second), .power: 250])
            pipeline.apply(.measured(values), at: Self.at(Double(second)), into: &events)
        }
        let live = try #require(pipeline.metrics.cadence)
        #expect(live.stepsPerMinute == 190 && live.source == "pod" && live.state == .live)
        let sensor = try #require(pipeline.metrics.measured.first)
        #expect(sensor.state == .live && sensor.ageSeconds == 0)
        #expect(sensor.values[.power] == 250 && sensor.standsIn.contains(.cadence))
        let deadline = try #require(pipeline.nextSilenceDeadline)
        #expect(deadline <= Self.at(26.1))
        pipeline.applySilence(at: Self.at(27), into: &events)
        let stale = pipeline.metrics
        #expect(stale.cadence?.stepsPerMinute == nil && stale.cadence?.state == .stale)
        #expect(stale.measured.first?.state == .stale && stale.measured.first?.ageSeconds == 7)
        #expect(stale.measured.first?.standsIn == [])
        // The mean is that of the shown values.
        #expect(Self.isNear(stale.averageCadence, 180, within: 0.03))
    }

    @Test func `Our own cadence counts where motion says one, whatever a sensor says`() {
        let (beside, _) = Self.run { $0.footPod?.placement = .wrist }
        let (alone, _) = Self.run { $0.footPod = nil }
        // The first seconds of motion are needed to start.
        for metrics in beside where metrics.elapsedSeconds > 10 {
            #expect(metrics.cadence?.source == nil && metrics.measured.count == 1)
            #expect(metrics.measured.first?.standsIn.contains(.cadence) == false)
        }
        func cadences(_ all: [Metrics]) -> [Double: Double?] {
            Dictionary(
                // The first speed is the pod's, and helps to find the rhythm.
                all.filter { $0.elapsedSeconds > 30 }.map {
                    ($0.elapsedSeconds, $0.cadence?.stepsPerMinute)
                }, uniquingKeysWith: { $1 })
        }
        let (with, without) = (cadences(beside), cadences(alone))
        let differences = with.filter { second, value in
            without[second].map { $0 != value } ?? false
        }
        #expect(with.count > 300 && differences.isEmpty)
        #expect(beside.last?.steps == alone.last?.steps)
    }

    @Test(arguments: [
        (MeasuredValues.Placement.foot, 170.0, 170.0), (.ankle, 170, 170), (.wrist, 170, 0),
        (nil, 170, 0), (.foot, 0, 0),
    ])
    func `A wrist at rest gives way to feet that step, and to nothing else`(
        placement: MeasuredValues.Placement?, sensor: Double, shown: Double
    ) throws {
        let still = MotionBatch(
            traits: .includesGravity, intervalMicroseconds: 20_000,
            samples: (0..<50).map { _ in MotionSample(acceleration: SIMD3(0, 0, 1)) })
        let metrics = try Self.metrics(seconds: 30) { pipeline, second, events in
            pipeline.apply(.motion(still), at: Self.at(second), into: &events)
            let values = try Self.values([.cadence: sensor], source: nil, placement)
            pipeline.apply(.measured(values), at: Self.at(second + 0.99), into: &events)
        }
        #expect(metrics.cadence?.stepsPerMinute == shown)
        #expect(metrics.cadence?.source == (shown > 0 ? placement?.name : nil))
    }

    // MARK: Distance and speed

    @Test func `Positions count before a sensor, and a sensor before steps`() {
        let (outside, way) = Self.run { $0.footPod?.calibrationError = 0.3 }
        #expect(Self.isNear(outside.last?.distanceMeters, way?.distanceMeters, within: 0.03))
        // The comparison starts after the first fixes.
        let later = outside.filter { $0.elapsedSeconds > 10 }
        #expect(later.allSatisfy { metrics in metrics.measured.allSatisfy { $0.standsIn == [] } })
        let (inside, belt) = Self.run { settings in
            settings.sendsLocation = false
            settings.footPod?.calibrationError = 0.3
        }
        let meters = belt.map { 1.3 * $0.distanceMeters }
        #expect(Self.isNear(inside.last?.distanceMeters, meters, within: 0.01))
        let shown = inside.dropLast().last
        #expect(shown?.measured.first?.standsIn == [.speed, .distance])
        #expect(
            Self.isNear(
                shown?.speedMetersPerSecond, belt.map { 1.3 * $0.speedMetersPerSecond }, within: 0.1
            ))
        #expect(shown?.paceSecondsPerKm != nil)
    }

    @Test func `A treadmill without a sensor has its steps, with one its meters`() {
        var profile = RunnerProfile()
        profile.treadmill = true
        let (steps, _) = Self.run(profile) { $0.footPod = nil }
        let (sensor, belt) = Self.run(profile) { $0.footPod?.calibrationError = -0.2 }
        let meters = belt.map { 0.8 * $0.distanceMeters }
        #expect(Self.isNear(sensor.last?.distanceMeters, meters, within: 0.01))
        #expect(!Self.isNear(steps.last?.distanceMeters, meters, within: 0.1))
    }

    @Test func `A tunnel is as long as a sensor says, and counts once`() {
        let (metrics, truth) = Self.run { settings in
            settings.tunnels = [.init(startSeconds: 120, seconds: 90)]
            settings.footPod?.calibrationError = 0
        }
        #expect(Self.isNear(metrics.last?.distanceMeters, truth?.distanceMeters, within: 0.02))
        let used = metrics.count { $0.measured.first?.standsIn.contains(.distance) == true }
        #expect((60...95).contains(used))
    }

    @Test func `Speed alone makes meters, splits and steps of cadence, none in a pause`() throws {
        var splits = 0
        let metrics = try Self.metrics(seconds: 500) { pipeline, second, events in
            events = []
            if second == 400 { pipeline.apply(control: .pause, at: Self.at(second), into: &events) }
            let values = try Self.values([.speed: 4, .cadence: 180])
            pipeline.apply(.measured(values), at: Self.at(second), into: &events)
            splits += events.count { if case .split = $0.kind { true } else { false } }
        }
        #expect(Self.isNear(metrics.distanceMeters, 1600, within: 0.005))
        #expect(Self.isNear(metrics.steps.map(Double.init), 1200, within: 0.005))
        // The distance of one kilometer.
        #expect(splits == 1)
        #expect(metrics.manuallyPaused && metrics.speedMetersPerSecond == 0)
    }

    @Test func `A count that is begun again or jumps adds nothing, and the total never falls`()
        throws
    {
        var last = 0.0
        let metrics = try Self.metrics(seconds: 300) { pipeline, second, events in
            var meters = 3 * second
            if second >= 100 { meters -= 300 }
            if second >= 200 { meters += 10_000 }
            let values = try Self.values([.distance: meters, .stepCount: meters])
            pipeline.apply(.measured(values), at: Self.at(second), into: &events)
            let now = pipeline.metrics.distanceMeters ?? 0
            #expect(now >= last)
            last = now
        }
        #expect(Self.isNear(metrics.distanceMeters, 894, within: 0.005))
        #expect(Self.isNear(metrics.steps.map(Double.init), 894, within: 0.005))
        #expect(Self.isNear(metrics.distanceUncertaintyMeters, 1.96 * 0.03 * 894, within: 0.2))
    }

    // MARK: Several sensors

    @Test(arguments: [
        (Quantity.cadence, MeasuredValues.Placement.foot), (.power, .foot), (.speed, .treadmill),
        (.inclination, .treadmill), (.strideLength, .foot),
    ])
    func `The sensor that is nearest to what is measured counts`(
        quantity: Quantity, best: MeasuredValues.Placement
    ) throws {
        var sensors = MeasuredSensors()
        let places: [MeasuredValues.Placement?] = [nil, .wrist, .chest, .foot, .treadmill]
        for (index, placement) in places.enumerated() where placement != nil {
            _ = sensors.add(
                try Self.values([quantity: Double(index)], placement), at: Self.at(0))
        }
        let counts = try #require(sensors.best(quantity, at: Self.at(1)))
        #expect(sensors.sensors[counts.sensor].placement == best)
        // Once this sensor is silent, the next one counts.
        let others = places.filter { $0 != best && $0 != nil }
        for (index, placement) in others.enumerated() {
            _ = sensors.add(
                try Self.values([quantity: Double(index)], placement), at: Self.at(8))
        }
        let next = try #require(sensors.best(quantity, at: Self.at(9)))
        #expect(sensors.sensors[next.sensor].placement != best)
    }

    @Test func `Of equal sensors the first stays, and there are never more than four`() throws {
        var sensors = MeasuredSensors()
        for number in 0..<40 {
            let values = try Self.values([.cadence: 160 + Double(number)], source: "\(number % 8)")
            _ = sensors.add(values, at: Self.at(Double(number) / 10))
            #expect(sensors.sensors.count <= sensors.parameters.sensorsMax)
        }
        var two = MeasuredSensors()
        for number in 0..<10 {
            let values = try Self.values(
                [.cadence: 160 + Double(number % 2)], source: "\(number % 2)")
            _ = two.add(values, at: Self.at(Double(number)))
            #expect(two.best(.cadence, at: Self.at(Double(number)))?.value == 160)
        }
    }

    @Test func `A value that a sensor no longer sends goes, and the others stay`() throws {
        let metrics = try Self.metrics(seconds: 30) { pipeline, second, events in
            let all: [Quantity: Double] =
                second < 10 ? [.power: 250, .cadence: 170] : [.power: 260]
            pipeline.apply(.measured(try Self.values(all)), at: Self.at(second), into: &events)
        }
        #expect(metrics.measured.first?.values.quantities == [.power])
        #expect(metrics.cadence?.state == .stale)
    }

    @Test func `Late values and counts are not shown`() throws {
        let metrics = try Self.metrics(seconds: 10) { pipeline, second, events in
            let values = try Self.values([.power: 250, .distance: 10, .stepCount: 5, .energy: 3])
            pipeline.apply(.measured(values), at: Self.at(second), into: &events)
            let late = try Self.values([.power: 999], source: "other")
            pipeline.apply(.measured(late), at: Self.at(second - 5), late: true, into: &events)
        }
        #expect(metrics.measured.map(\.values.quantities) == [[.power]])
    }

    // MARK: Power

    @Test func `Power is the mean of three seconds, and goes with its sensor`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0...9 {
            let watts = second % 2 == 0 ? 200.0 : 260
            pipeline.apply(
                .measured(try Self.values([.power: watts])), at: Self.at(Double(second)),
                into: &events)
        }
        let mean = try #require(pipeline.metrics.powerWatts)
        #expect(abs(mean - (260 + 200 + 260) / 3) < 1e-9)
        // After the first sensor goes silent, another one counts, and starts a new average.
        pipeline.apply(
            .measured(try Self.values([.power: 300], source: "strap", .chest)), at: Self.at(10),
            into: &events)
        #expect(pipeline.metrics.powerWatts == mean)
        for second in 11...20 {
            pipeline.apply(
                .measured(try Self.values([.power: 300], source: "strap", .chest)),
                at: Self.at(Double(second)), into: &events)
        }
        #expect(pipeline.metrics.powerWatts == 300)
        pipeline.applySilence(at: Self.at(40), into: &events)
        #expect(pipeline.metrics.powerWatts == nil)
    }
}
