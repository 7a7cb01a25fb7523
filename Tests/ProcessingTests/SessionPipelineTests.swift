import Processing
import SensorModel
import Simulator
import Testing

@Suite struct SessionPipelineTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }

    private func heartRate(_ beats: Double) throws -> HeartRateSample {
        try HeartRateSample(beatsPerMinute: beats)
    }

    private func metrics(_ events: [StreamEvent]) -> [(time: Timestamp, metrics: Metrics)] {
        events.compactMap { event in
            if case .metrics(let metrics) = event.kind { (event.deviceTime, metrics) } else { nil }
        }
    }

    private func play(_ runner: SimulatedRunner, profile: RunnerProfile) -> [StreamEvent] {
        var runner = runner
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        while let next = runner.next() {
            pipeline.apply(next.frame.payload, at: next.frame.deviceTime, into: &events)
        }
        return events
    }

    @Test func `The same samples give the same events`() {
        let runner = SimulatedRunner(seed: 4, plan: .city(minutes: 4, seed: 4))
        let first = play(runner, profile: RunnerProfile())
        #expect(first == play(runner, profile: RunnerProfile()))
        #expect(!first.isEmpty)
    }

    @Test func `A heart rate is shown with the sample that brings it`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<5 {
            events.removeAll()
            let beats = 140 + Double(second)
            pipeline.apply(
                heartRate: try heartRate(beats), at: at(Double(second) + 0.3), into: &events)
            let seen = metrics(events)
            #expect(seen.count == 1)
            #expect(seen.first?.metrics.heartRate?.beatsPerMinute == beats)
        }
    }

    @Test func `One metrics a second, also through a hole, which is bounded`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        pipeline.apply(heartRate: try heartRate(140), at: at(0), into: &events)
        events.removeAll()
        pipeline.apply(heartRate: try heartRate(140), at: at(20.5), into: &events)
        let seen = metrics(events)
        #expect(seen.count == 20)
        #expect(seen.map(\.metrics.elapsedSeconds).dropLast() == (1...19).map(Double.init)[...])
        #expect(seen[10].metrics.heartRate?.state == .live)
        #expect(seen[17].metrics.heartRate?.state == .stale)
        #expect(seen[19].metrics.heartRate?.state == .live)
        events.removeAll()
        pipeline.apply(heartRate: try heartRate(140), at: at(3000), into: &events)
        #expect(metrics(events).count < 80)
    }

    /// The device may have been switched off at a hidden place meanwhile.
    @Test(arguments: [(50.0, false), (60, true), (1800, true), (90_000, true)])
    func `A hole of a minute emits nothing that is older than the sample after it`(
        seconds: Double, isQuiet: Bool
    ) throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<90 {
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4, speed: 3, course: 0)
            pipeline.apply(location: fix, at: at(Double(second)), into: &events)
        }
        events.removeAll()
        // The first one is doubted after more than an hour.
        for second in [0.0, 1] {
            pipeline.apply(
                heartRate: try heartRate(140), at: at(90 + seconds + second), into: &events)
        }
        #expect(!events.isEmpty)
        #expect(events.allSatisfy { $0.deviceTime >= at(90 + seconds) } == isQuiet)
        #expect(pipeline.metrics.heartRate?.state == .live)
    }

    @Test func `A session lasts over midnight and over 27 days`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        // 2^31 ms are 24.9 days; a sample every 45 minutes is not a clock change.
        let interval = 2700.0
        let count = Int(27 * 86_400 / interval)
        var last = -1.0
        for index in 0...count {
            events.removeAll(keepingCapacity: true)
            pipeline.apply(
                heartRate: try heartRate(120), at: at(interval * Double(index)), into: &events)
            for (_, metrics) in metrics(events) {
                #expect(metrics.elapsedSeconds >= last)
                let parts = metrics.movingSeconds + metrics.pausedSeconds
                #expect(abs(parts - metrics.elapsedSeconds) < 1e-6)
                last = metrics.elapsedSeconds
            }
        }
        #expect(last == 27 * 86_400)
    }

    @Test func `Elapsed is moving and paused, at every moment`() {
        var settings = RunnerSettings()
        settings.motionRate = 20
        settings.samplesPerFrame = 20
        let plan = RunPlan(legs: [
            .init(seconds: 60, speed: 3), .init(seconds: 20, speed: 0),
            .init(seconds: 40, speed: 3), .init(seconds: 30, speed: 0, pausedByHand: true),
            .init(seconds: 40, speed: 3),
        ])
        let runner = SimulatedRunner(seed: 2, plan: plan, settings: settings)
        let events = play(runner, profile: RunnerProfile())
        var last = -1.0
        for (_, metrics) in metrics(events) {
            let sum = metrics.movingSeconds + metrics.pausedSeconds
            #expect(abs(metrics.elapsedSeconds - sum) < 1e-9)
            #expect(metrics.elapsedSeconds >= last)
            last = metrics.elapsedSeconds
        }
        let end = metrics(events).last?.metrics
        #expect(end?.state == .ended)
        #expect(abs((end?.pausedSeconds ?? 0) - 50) < 5)
        #expect(events.last?.kind == .ended)
    }

    @Test func `A manual pause wins, ends only by hand and credits nothing`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<60 {
            if second == 20 { pipeline.apply(control: .pause, at: at(20), into: &events) }
            if second == 40 { pipeline.apply(control: .resume, at: at(40), into: &events) }
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4, speed: 3)
            pipeline.apply(location: fix, at: at(Double(second)), into: &events)
        }
        let shown = pipeline.metrics
        #expect(shown.pausedSeconds == 20)
        #expect(abs((shown.distanceMeters ?? 0) - 117) < 5)
        let pauses = events.filter { event in
            switch event.kind {
            case .paused(since: at(20), automatic: false): true
            case .resumed(since: at(40), automatic: false): true
            default: false
            }
        }
        #expect(pauses.count == 2)
    }

    @Test func `A clock set back or forward by a year does not break the sums`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let year = 365.25 * 86_400
        for offset in [0, -year, year] {
            for second in 0..<100 {
                pipeline.apply(
                    heartRate: try heartRate(150), at: at(offset + Double(second)), into: &events)
            }
        }
        let shown = pipeline.metrics
        #expect((250...300).contains(shown.elapsedSeconds))
        #expect(shown.zoneSeconds.reduce(0, +) <= 300)
        #expect(shown.averageHeartRate == 150)
    }

    @Test func `One frame with a wrong date moves nothing`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<10 {
            let wrong = second == 5 ? 80_000.0 : 0
            pipeline.apply(
                heartRate: try heartRate(150), at: at(wrong + Double(second)), into: &events)
        }
        #expect(pipeline.metrics.elapsedSeconds == 9)
    }

    @Test func `A late sample does not move now`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<10 {
            pipeline.apply(
                heartRate: try heartRate(150), at: at(Double(second)), into: &events)
        }
        let before = pipeline.metrics
        events.removeAll()
        pipeline.apply(heartRate: try heartRate(90), at: at(4.5), late: true, into: &events)
        pipeline.apply(marker: "late", at: at(4.6), late: true, into: &events)
        #expect(pipeline.metrics == before)
        #expect(events.map(\.kind) == [.marker("late")])
    }

    @Test func `Silence ages what is shown and nothing else`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<10 {
            pipeline.apply(
                heartRate: try heartRate(150), at: at(Double(second)), into: &events)
        }
        let before = pipeline.metrics
        var deadline = at(9)
        while pipeline.metrics.heartRate?.state == .live {
            let age = try #require(pipeline.metrics.heartRate?.ageSeconds)
            #expect(abs(age - deadline.seconds(since: at(9))) < 0.001)
            let next = try #require(pipeline.nextSilenceDeadline)
            #expect(next > deadline && next.seconds(since: deadline) <= 3 && next < at(20))
            deadline = next
            pipeline.applySilence(at: deadline, into: &events)
        }
        let stale = pipeline.metrics
        #expect(stale.heartRate?.state == .stale)
        #expect(stale.heartRate?.zone == nil)
        #expect(stale.elapsedSeconds == before.elapsedSeconds)
        #expect(stale.zoneSeconds == before.zoneSeconds)
        deadline = try #require(pipeline.nextSilenceDeadline)
        pipeline.applySilence(at: deadline, into: &events)
        #expect(pipeline.metrics.state == .stale)
        #expect(pipeline.nextSilenceDeadline == nil)
        pipeline.apply(heartRate: try heartRate(150), at: at(10), into: &events)
        #expect(pipeline.metrics.state == .live)
        #expect(pipeline.metrics.elapsedSeconds == 10)
    }

    @Test func `What comes after a second's metrics does not wait for staleness to be shown`()
        throws
    {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for (time, rate) in [(0.0, 150.0), (1.0, 150.0), (1.2, 151.0)] {
            pipeline.apply(heartRate: try heartRate(rate), at: at(time), into: &events)
        }
        let deadline = try #require(pipeline.nextSilenceDeadline)
        #expect(deadline > at(1.2) && deadline < at(1.5))
        events = []
        pipeline.applySilence(at: deadline, into: &events)
        let shown = events.compactMap { event in
            if case .metrics(let metrics) = event.kind { metrics.heartRate } else { nil }
        }
        #expect(shown.map(\.beatsPerMinute) == [151])
        #expect(shown.map(\.state) == [.live])
        #expect(try #require(pipeline.nextSilenceDeadline) > at(3))
    }

    @Test(arguments: [false, true])
    func `A marker shows itself and no value anew`(hasUnshown: Bool) throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        pipeline.apply(heartRate: try heartRate(150), at: at(0), into: &events)
        if hasUnshown {
            pipeline.apply(heartRate: try heartRate(151), at: at(0.2), into: &events)
        }
        pipeline.apply(marker: "bridge", at: at(0.3), into: &events)
        let deadline = try #require(pipeline.nextSilenceDeadline)
        #expect((deadline < at(0.5)) == hasUnshown)
    }

    @Test func `Missing is nil, never 0`() {
        let empty = SessionPipeline(profile: RunnerProfile()).metrics
        #expect(empty.state == .waiting)
        #expect(empty.steps == nil && empty.distanceMeters == nil && empty.cadence == nil)
        #expect(empty.heartRate == nil && empty.averageHeartRate == nil)
        #expect(empty.zoneSeconds.isEmpty && empty.elevationGainMeters == nil)
    }

    @Test func `An SOS runs its countdown through silence`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        pipeline.apply(control: .start, at: at(0), into: &events)
        pipeline.apply(control: .sos, at: at(5), into: &events)
        #expect(pipeline.metrics.activeAlerts == [.sos])
        var phases: [Alert.Phase] = []
        while let deadline = pipeline.nextSilenceDeadline {
            pipeline.applySilence(at: deadline, into: &events)
        }
        for event in events {
            if case .alert(let alert) = event.kind { phases.append(alert.phase) }
        }
        #expect(phases == [.triggered, .confirmed])
    }

    @Test func `A gap is told as it is`() {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let first = FrameSequence(rawValue: 3)
        let last = FrameSequence(rawValue: 9)
        pipeline.apply(gapFrom: first, to: last, at: at(0), into: &events)
        #expect(events.map(\.kind) == [.gap(from: first, to: last)])
    }
}

@Suite struct TreadmillTests {
    @Test func `A treadmill run has distance and splits by steps, whatever the fixes say`() throws {
        var profile = RunnerProfile()
        profile.treadmill = true
        profile.strideCalibration = StrideCalibration(slope: 0, intercept: 1)
        var settings = RunnerSettings()
        settings.sendsLocation = true
        let plan = RunPlan(legs: [.init(seconds: 480, speed: 3)])
        var runner = SimulatedRunner(seed: 9, plan: plan, settings: settings)
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        while let next = runner.next() {
            let time = next.frame.deviceTime
            switch next.frame.payload {
            case .location(let fix): pipeline.apply(location: fix, at: time, into: &events)
            case .motion(let batch):
                for (index, sample) in batch.samples.enumerated() {
                    let offset = Int64(index) * Int64(batch.intervalMicroseconds)
                    pipeline.apply(
                        motion: sample, traits: batch.traits,
                        at: time.advanced(byMicroseconds: offset), into: &events)
                }
            default: break
            }
        }
        let shown = pipeline.metrics
        let steps = try #require(shown.steps)
        let meters = try #require(shown.distanceMeters)
        #expect(steps > 1000)
        #expect(abs(meters - Double(steps)) < 0.05 * Double(steps))
        let splits = events.filter { if case .split = $0.kind { true } else { false } }
        #expect(!splits.isEmpty)
    }
}
