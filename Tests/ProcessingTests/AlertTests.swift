import SensorModel
import Testing

@testable import Processing

@Suite struct AlertTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    // MARK: Zone drift

    @Test(
        arguments: [
            (30.0, nil), (59, nil), (60, .mild), (180, .moderate), (300, .significant),
        ] as [(Double, Alert.Severity?)])
    func `Seconds off target decide the severity`(seconds: Double, severity: Alert.Severity?) {
        #expect(ZoneDrift().severity(offSeconds: seconds) == severity)
    }

    @Test func `Each severity is told once, and being back once`() {
        var drift = ZoneDrift()
        var told: [Alert] = []
        for second in 0..<400 {
            // A change from one wrong zone to another is still off target.
            let zone = second < 100 ? 4 : 5
            let alert = drift.tick(zone: zone, target: 3, seconds: 1, at: at(Double(second)))
            if let alert { told.append(alert) }
        }
        #expect(told.map(\.severity) == [.mild, .moderate, .significant])
        #expect(told.allSatisfy { $0.advice == "slow down" })
        let back = drift.tick(zone: 3, target: 3, seconds: 1, at: at(400))
        #expect(back?.phase == .cleared)
        #expect(drift.tick(zone: 3, target: 3, seconds: 1, at: at(401)) == nil)
    }

    @Test func `Dismissed, it is silent for half a minute`() {
        var drift = ZoneDrift()
        for second in 0...60 {
            _ = drift.tick(zone: 1, target: 3, seconds: 1, at: at(Double(second)))
        }
        #expect(drift.dismiss(at: at(60))?.phase == .cancelled)
        #expect(drift.tick(zone: 1, target: 3, seconds: 1, at: at(89)) == nil)
        let again = drift.tick(zone: 1, target: 3, seconds: 1, at: at(90))
        #expect(again?.advice == "pick up pace")
    }

    // MARK: Pace

    @Test(
        arguments: [
            (330.0, 400.0, nil), (330, 600, .mild), (315, 600, nil), (329, 600, nil),
            (360, 600, .significant), (240, 600, .significant), (268, 600, .mild),
        ] as [(Double, Double, Alert.Severity?)])
    func `Off the target pace of 300 by 10 and 20 percent, after half a kilometer`(
        pace: Double, meters: Double, severity: Alert.Severity?
    ) {
        var alert = PaceAlert()
        let told = alert.update(pace: pace, target: 300, meters: meters, at: at(0))
        #expect(told?.severity == severity)
    }

    @Test func `Back on pace is told once, and never within the cooldown`() {
        var alert = PaceAlert()
        #expect(alert.update(pace: 360, target: 300, meters: 600, at: at(0)) != nil)
        #expect(alert.update(pace: 300, target: 300, meters: 700, at: at(59)) == nil)
        let back = alert.update(pace: 305, target: 300, meters: 710, at: at(60))
        #expect(back?.advice == "back on pace")
        #expect(alert.update(pace: 300, target: 300, meters: 900, at: at(200)) == nil)
    }

    @Test func `A target that is taken away leaves no alert behind`() {
        var alert = PaceAlert()
        _ = alert.update(pace: 360, target: 300, meters: 600, at: at(0))
        #expect(alert.update(pace: 360, target: nil, meters: 610, at: at(1))?.phase == .cleared)
        #expect(!alert.isActive)
        #expect(alert.update(pace: 360, target: nil, meters: 620, at: at(2)) == nil)
    }

    // MARK: Fall

    /// Readings 0.5 s apart, as in the reference implementation's tests.
    private func falls(_ readings: [Float], traits: MotionTraits = .includesGravity) -> Bool {
        var detector = FallDetector()
        var fell = false
        for (index, g) in readings.enumerated() {
            let sample = MotionSample(acceleration: SIMD3(0, 0, g))
            fell = detector.update(sample, traits: traits, at: at(Double(index) / 2)) || fell
        }
        return fell
    }

    @Test(arguments: [
        (5.0, 1.0, true), (5.0, 2.5, false), (1.5, 1, false), (3, 1, true), (2.99, 1, false),
    ])
    func `An impact of 3 g and five still seconds are a fall`(
        impact: Float, after: Float, isFall: Bool
    ) {
        let readings =
            [Float](repeating: 1, count: 4) + [impact] + [Float](repeating: after, count: 12)
        #expect(falls(readings) == isFall)
    }

    @Test func `Fewer than ten readings, or less than the whole window, are none`() {
        #expect(!falls([5, 1, 1, 1, 1, 1, 1, 1, 1]))
        #expect(!falls([Float](repeating: 1, count: 20) + [5] + [Float](repeating: 1, count: 9)))
    }

    @Test func `Without gravity rest is 0 g`() {
        let readings =
            [Float](repeating: 0, count: 4) + [4] + [Float](repeating: 0.1, count: 12)
        #expect(falls(readings, traits: []))
        #expect(!falls(readings, traits: .includesGravity))
    }

    // MARK: No movement, countdown

    @Test func `Five minutes without movement, exactly`() {
        var standing = NoMovement()
        standing.note(speed: 3, at: at(0))
        #expect(standing.tick(at: at(299), manuallyPaused: false) == false)
        #expect(standing.tick(at: at(300), manuallyPaused: false) == true)
        #expect(standing.tick(at: at(301), manuallyPaused: false) == false)
        standing.note(speed: 0.3, at: at(302))
        #expect(standing.isStanding, "0.3 m/s is no movement")
        standing.note(speed: 0.31, at: at(303))
        #expect(!standing.isStanding)
    }

    @Test func `A manual pause silences it`() {
        var standing = NoMovement()
        standing.note(speed: 3, at: at(0))
        for second in 1...400 {
            #expect(standing.tick(at: at(Double(second)), manuallyPaused: true) == false)
        }
        #expect(standing.tick(at: at(500), manuallyPaused: false) == false)
    }

    @Test func `An emergency can be taken back for 30 s`() {
        var window = CancelWindow(.sos)
        #expect(window.raise(at: at(0))?.cancelBefore == at(30))
        #expect(window.raise(at: at(1)) == nil)
        #expect(window.tick(at: at(29)) == nil)
        #expect(window.cancel(at: at(29))?.phase == .cancelled)
        #expect(!window.isActive)
        _ = window.raise(at: at(100))
        #expect(window.tick(at: at(130))?.phase == .confirmed)
        #expect(window.isActive)
        #expect(window.cancel(at: at(140))?.phase == .cleared)
    }

    @Test(arguments: [30.0, 4000, 80_000, 400_000, -400_000])
    func `An SOS after a hole of any length is heard and can be taken back`(hole: Double) throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<10 {
            let sample = try HeartRateSample(beatsPerMinute: 140)
            pipeline.apply(heartRate: sample, at: at(Double(second)), into: &events)
        }
        pipeline.applySilence(at: at(25), into: &events)
        events.removeAll()
        pipeline.apply(control: .sos, at: at(9 + hole), into: &events)
        let alerts = events.compactMap { event in
            if case .alert(let alert) = event.kind { alert } else { nil }
        }
        #expect(alerts.map(\.phase) == [.triggered])
        pipeline.apply(control: .cancelAlert, at: at(9 + hole + 20), into: &events)
        #expect(pipeline.metrics.activeAlerts.isEmpty)
        let last = events.compactMap { event in
            if case .alert(let alert) = event.kind { alert } else { nil }
        }.last
        #expect(last?.phase == .cancelled)
    }

    // MARK: Safety timer

    /// A session of just over two hours with a heart rate every 5 s.
    private func longRun(
        limit: Double?, until end: Double, silentFrom silence: Double = .infinity,
        cancelAt: Double? = nil
    ) throws -> [StreamEvent] {
        var profile = RunnerProfile()
        profile.safetyTimerSeconds = limit
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        for second in stride(from: 0.0, through: end, by: 5) {
            if second == cancelAt {
                pipeline.apply(control: .cancelAlert, at: at(second), into: &events)
            }
            if second < silence {
                let sample = try HeartRateSample(beatsPerMinute: 140)
                pipeline.apply(heartRate: sample, at: at(second), into: &events)
            } else {
                pipeline.applySilence(at: at(second), into: &events)
            }
        }
        return events
    }

    private func alerts(_ events: [StreamEvent]) -> [(second: Double, alert: Alert)] {
        events.compactMap { event in
            guard case .alert(let alert) = event.kind, alert.kind == .safetyTimer else {
                return nil
            }
            return (event.deviceTime.seconds(since: at(0)), alert)
        }
    }

    @Test(arguments: [Double.infinity, 3600])
    func `The safety timer runs out, also while the device is silent, and is told after 30 s`(
        silentFrom: Double
    ) throws {
        let told = alerts(try longRun(limit: 7200, until: 7400, silentFrom: silentFrom))
        #expect(told.map(\.alert.phase) == [.triggered, .confirmed])
        #expect(told.map(\.second) == [7200, 7230])
        #expect(told.first?.alert.cancelBefore == at(7230))
        #expect(told.allSatisfy { $0.alert.severity == .emergency })
    }

    @Test(arguments: [
        (7205.0, Alert.Phase.cancelled, 2), (7225, .cancelled, 2), (7300, .cleared, 3),
    ])
    func `The wearer takes it back, and it does not come again`(
        second: Double, phase: Alert.Phase, count: Int
    ) throws {
        let told = alerts(try longRun(limit: 7200, until: 20_000, cancelAt: second))
        #expect(told.count == count)
        #expect(told.last?.alert.phase == phase)
        #expect(told.last?.second == second)
    }

    @Test func `Without a timer nobody is told`() throws {
        #expect(alerts(try longRun(limit: nil, until: 20_000)).isEmpty)
        #expect(alerts(try longRun(limit: 7200, until: 7195)).isEmpty)
    }

    @Test func `Silence is waited for until the timer runs out`() throws {
        var profile = RunnerProfile()
        profile.safetyTimerSeconds = 600
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        let sample = try HeartRateSample(beatsPerMinute: 140)
        pipeline.apply(heartRate: sample, at: at(0), into: &events)
        pipeline.applySilence(at: at(60), into: &events)
        #expect(pipeline.nextSilenceDeadline == at(600))
        pipeline.applySilence(at: at(600), into: &events)
        #expect(pipeline.nextSilenceDeadline == at(630))
    }
}
