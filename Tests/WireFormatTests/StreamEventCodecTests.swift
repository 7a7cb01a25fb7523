import SensorModel
import Testing
import WireFormat

@Suite struct StreamEventCodecTests {
    private static func encoded(_ event: StreamEvent) -> [UInt8] {
        var bytes: [UInt8] = []
        StreamEventCodec.encode(event, to: &bytes)
        return bytes
    }

    /// Any number that a processor could produce: short, long and unusual ones.
    private static func number(_ random: inout SplitMix) -> Double {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: Double(Int.random(in: -100...100_000, using: &random))
        case 1: (Double.random(in: 0...10_000, using: &random) * 10).rounded() / 10
        case 2: (Double.random(in: -180...180, using: &random) * 1e7).rounded() / 1e7
        case 3: Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
        case 4:
            [0, -0.0, .infinity, .leastNonzeroMagnitude, 9e15, -9e15, 1e300, .pi][
                Int.random(in: 0..<8, using: &random)]
        default: Double.random(in: 0...50_000, using: &random)
        }
    }

    private static func some(_ random: inout SplitMix) -> Double? {
        Bool.random(using: &random) ? number(&random) : nil
    }

    private static func choice<Value: CaseIterable>(
        _ type: Value.Type, _ random: inout SplitMix
    ) -> Value where Value.AllCases == [Value] {
        Value.allCases[Int.random(in: 0..<Value.allCases.count, using: &random)]
    }

    private static func metrics(_ random: inout SplitMix) -> Metrics {
        var metrics = Metrics()
        metrics.state = choice(ValueState.self, &random)
        if Bool.random(using: &random) {
            metrics.heartRate = HeartRateMetric(
                beatsPerMinute: number(&random), zone: Bool.random(using: &random) ? 4 : nil,
                state: choice(ValueState.self, &random), ageSeconds: number(&random),
                source: Bool.random(using: &random) ? "strap é" : nil,
                rmssdMilliseconds: some(&random),
                cadenceLockSuspected: Bool.random(using: &random),
                spikeSuspected: Bool.random(using: &random))
        }
        if Bool.random(using: &random) {
            metrics.cadence = CadenceMetric(
                stepsPerMinute: some(&random), confidence: number(&random),
                uncertainty: some(&random), state: choice(ValueState.self, &random))
        }
        metrics.steps = Bool.random(using: &random) ? 5120 : nil
        metrics.distanceMeters = some(&random)
        metrics.speedMetersPerSecond = some(&random)
        metrics.paceSecondsPerKm = some(&random)
        metrics.powerWatts = some(&random)
        metrics.targetZonePercent = some(&random)
        metrics.elapsedSeconds = number(&random)
        metrics.movingSeconds = number(&random)
        metrics.pausedSeconds = number(&random)
        metrics.autoPaused = Bool.random(using: &random)
        metrics.manuallyPaused = Bool.random(using: &random)
        metrics.zoneSeconds =
            Bool.random(using: &random) ? (0..<5).map { _ in number(&random) } : []
        metrics.charging = Bool.random(using: &random) ? Bool.random(using: &random) : nil
        addGroups(to: &metrics, &random)
        return metrics
    }

    private static func addGroups(to metrics: inout Metrics, _ random: inout SplitMix) {
        if Bool.random(using: &random) {
            metrics.position = PositionMetric(
                latitude: number(&random), longitude: number(&random),
                altitudeMeters: some(&random), horizontalAccuracyMeters: some(&random),
                courseDegrees: some(&random), state: choice(ValueState.self, &random))
            metrics.gpsQuality = choice(GPSQuality.self, &random)
        }
        if Bool.random(using: &random) {
            metrics.trainingLoad = TrainingLoad(
                hrTSS: some(&random), trimp: some(&random), edwards: some(&random))
            metrics.finishEstimate = FinishEstimate(
                bestSeconds: number(&random), expectedSeconds: number(&random),
                worstSeconds: number(&random))
        }
        if Bool.random(using: &random) {
            metrics.course = CourseProgress(
                checkpoint: Bool.random(using: &random) ? "bridge" : nil,
                predictedSeconds: some(&random), offCourse: Bool.random(using: &random))
            if metrics.course?.checkpoint != nil {
                metrics.course?.later = (0..<Int.random(in: 0...19, using: &random)).map {
                    CheckpointAhead(checkpoint: "höhe \($0)", predictedSeconds: some(&random))
                }
            }
            metrics.activeAlerts = [.zoneDrift, .sos]
        }
        if Bool.random(using: &random) {
            metrics.interval = IntervalProgress(
                number: 3, count: 12, secondsLeft: some(&random), metersLeft: some(&random))
        }
        if Bool.random(using: &random) { metrics.cadence?.source = "füßchen" }
        metrics.measured = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
            guard let values = try? FrameSamples.measured(&random) else { return nil }
            return MeasuredMetric(
                values: values, state: choice(ValueState.self, &random),
                ageSeconds: number(&random),
                standsIn: Bool.random(using: &random) ? [.cadence, .distance] : [])
        }
    }

    private static let split = Split(
        unit: .mile, number: 3, seconds: 331.25, averageHeartRate: 140.125, elevationMeters: nil)

    private static func kinds(_ random: inout SplitMix) -> [StreamEvent.Kind] {
        let time = Timestamp(microseconds: Int64.random(in: .min ... .max, using: &random))
        return [
            .metrics(metrics(&random)), .marker("übermorgen"), .marker(""),
            .paused(since: time, automatic: true), .resumed(since: time, automatic: false),
            .split(split), .zoneChanged(from: nil, to: 1), .zoneChanged(from: 5, to: 4),
            .lap(
                Lap(
                    number: 2, seconds: number(&random), distanceMeters: some(&random),
                    averageHeartRate: some(&random))),
            .alert(Alert(kind: .fall, severity: .emergency, phase: .triggered, cancelBefore: time)),
            .alert(Alert(kind: .pace, severity: .mild, phase: .cleared, advice: "slow down")),
            .gap(from: FrameSequence(rawValue: 1), to: FrameSequence(rawValue: .max)),
            .correction(.pauseBegan(shown: time, since: time)),
            .correction(.pauseEnded(shown: time, since: time)), .correction(.split(split)),
            .sourceChanged(from: nil, to: "watch"), .sourceChanged(from: "watch", to: "strap"),
            .ended,
            .intervalStarted(
                IntervalStart(number: 1, count: 50, goal: .seconds(number(&random)), since: time)),
            .intervalEnding(number: 1, seconds: number(&random)),
            .intervalEnded(
                Interval(
                    number: 50, count: 50, goal: .meters(number(&random)), start: time, end: time,
                    seconds: number(&random), distanceMeters: some(&random),
                    averageHeartRate: some(&random), maxHeartRate: some(&random))),
            .checkpointReached(
                CheckpointReached(
                    checkpoint: "brücke", elapsedSeconds: number(&random),
                    distanceMeters: some(&random))),
        ]
    }

    @Test func `Each event is written as the earliest version that has what is in it`() {
        var metrics = Metrics()
        metrics.heartRate = HeartRateMetric(
            beatsPerMinute: 150, zone: 4, state: .live, ageSeconds: 0, cadenceLockSuspected: true)
        let plain: [StreamEvent.Kind] = [.ended, .metrics(metrics), .split(Self.split)]
        metrics.interval = IntervalProgress(
            number: 1, count: 2, secondsLeft: 60, metersLeft: nil)
        let timed: [StreamEvent.Kind] = [.metrics(metrics), .intervalEnding(number: 1, seconds: 3)]
        metrics.heartRate?.spikeSuspected = true
        let doubted: [StreamEvent.Kind] = [.metrics(metrics)]
        metrics.course = CourseProgress(
            checkpoint: "bridge", predictedSeconds: 600, offCourse: false,
            later: [CheckpointAhead(checkpoint: "tower", predictedSeconds: 900)])
        let reached = CheckpointReached(
            checkpoint: "bridge", elapsedSeconds: 570, distanceMeters: 2000)
        let newest: [StreamEvent.Kind] = [.metrics(metrics), .checkpointReached(reached)]
        var measured = metrics
        measured.measured = [
            MeasuredMetric(values: MeasuredValues(), state: .live, ageSeconds: 0)
        ]
        metrics.cadence = CadenceMetric(
            stepsPerMinute: 170, confidence: 1, uncertainty: nil, state: .live, source: "pod")
        let sensed: [StreamEvent.Kind] = [.metrics(measured), .metrics(metrics)]
        for (kinds, version) in [
            (plain, 1), (timed, 2), (doubted, 3), (newest, 4), (sensed, 5),
        ] {
            for kind in kinds {
                let event = StreamEvent(deviceTime: BinaryFrameTests.time, kind: kind)
                #expect(Self.encoded(event).first == UInt8(version))
            }
        }
    }

    @Test(
        arguments: [
            (1, 0, false, false), (1, 1, true, false), (3, 2, false, true), (3, 3, true, true),
        ] as [(UInt8, UInt8, Bool, Bool)])
    func `A heart rate says what is suspected of it, as records from before do`(
        version: UInt8, suspicions: UInt8, lock: Bool, spike: Bool
    ) throws {
        // Metrics: live, heart rate set, no numbers; 150 beats/min, age 0, no zone and source.
        let record: [UInt8] =
            [version, 1, 0, 0, 0, 0, 0, 0, 0, 0, ValueState.live.rawValue, 0x20, 1, 1, 1, 0]
            + [ValueState.live.rawValue, suspicions, 0xE1, 0x12, 1, 0, 0, 0]
        let event = try StreamEventCodec.decode(record.span)
        guard case .metrics(let metrics) = event.kind, let heartRate = metrics.heartRate else {
            Issue.record("no heart rate")
            return
        }
        #expect(heartRate.beatsPerMinute == 150)
        #expect(heartRate.cadenceLockSuspected == lock)
        #expect(heartRate.spikeSuspected == spike)
        #expect(Self.encoded(event) == record)
        var unknown = record
        unknown[17] = 4
        #expect(throws: RecordRefusal.unknownValue) { try StreamEventCodec.decode(unknown.span) }
    }

    @Test func `A record from before there were later checkpoints has the next one ahead`() throws {
        // Version 1, metrics: live, course set, no numbers; on course, 600 s, "bridge".
        let record: [UInt8] =
            [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, ValueState.live.rawValue, 0x80, 0x10, 1, 1, 1, 0]
            + [0, 1, 0x81, 0x4B, 1, 6] + Array("bridge".utf8)
        guard case .metrics(let metrics) = try StreamEventCodec.decode(record.span).kind else {
            Issue.record("not metrics")
            return
        }
        let next = CheckpointAhead(checkpoint: "bridge", predictedSeconds: 600)
        #expect(metrics.course?.ahead == [next])
        #expect(metrics.course?.later.isEmpty == true)
        let event = StreamEvent(deviceTime: Timestamp(microseconds: 0), kind: .metrics(metrics))
        #expect(Self.encoded(event) == record)
    }

    @Test func `Twenty checkpoints ahead take 300 bytes more`() {
        var metrics = Metrics()
        metrics.course = CourseProgress(
            checkpoint: "control 1", predictedSeconds: 1000, offCourse: false)
        func bytes() -> Int {
            Self.encoded(
                StreamEvent(deviceTime: BinaryFrameTests.time, kind: .metrics(metrics))
            ).count
        }
        let alone = bytes()
        metrics.course?.later = (2...20).map {
            CheckpointAhead(checkpoint: "control \($0)", predictedSeconds: 1000 * Double($0))
        }
        #expect((250...300).contains(bytes() - alone))
    }

    @Test(arguments: 1...200)
    func `Every event comes back, and its bytes too`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for kind in Self.kinds(&random) {
            let event = StreamEvent(deviceTime: BinaryFrameTests.time, kind: kind)
            let bytes = Self.encoded(event)
            let decoded = try StreamEventCodec.decode(bytes.span)
            // NaN is not equal to itself; its bytes are.
            #expect(Self.encoded(decoded) == bytes)
            if !Self.holdsNaN(event) { #expect(decoded == event) }
        }
    }

    private static func holdsNaN(_ event: StreamEvent) -> Bool { event != event }

    @Test func `A usual second takes 100 to 200 bytes`() throws {
        var metrics = Metrics()
        metrics.state = .live
        metrics.heartRate = HeartRateMetric(
            beatsPerMinute: 152.3, zone: 4, state: .live, ageSeconds: 0.8, source: "watch")
        metrics.cadence = CadenceMetric(
            stepsPerMinute: 172.4, confidence: 0.93, uncertainty: 1.2, state: .live)
        metrics.steps = 5120
        metrics.distanceMeters = 4312.7
        metrics.distanceUncertaintyMeters = 9.1
        metrics.speedMetersPerSecond = 3.05
        metrics.paceSecondsPerKm = 328
        metrics.gradeAdjustedPaceSecondsPerKm = 321
        metrics.elapsedSeconds = 1500
        metrics.movingSeconds = 1432
        metrics.pausedSeconds = 68
        metrics.elevationGainMeters = 42.31
        metrics.elevationLossMeters = 40.02
        metrics.zoneSeconds = [12, 300, 700, 400, 20]
        metrics.averageHeartRate = 147.1
        metrics.maxHeartRate = 171
        metrics.averageCadence = 169.9
        metrics.position = PositionMetric(
            latitude: 48.1234567, longitude: 11.5123456, altitudeMeters: 510.13,
            horizontalAccuracyMeters: 4.1, courseDegrees: 187.12, state: .live)
        metrics.gpsQuality = .good
        metrics.trainingLoad = TrainingLoad(hrTSS: 41.2, trimp: 58.1, edwards: 90.5)
        metrics.caloriesKcal = 312.4
        metrics.battery = 0.87
        let bytes = Self.encoded(
            StreamEvent(deviceTime: BinaryFrameTests.time, kind: .metrics(metrics)))
        #expect((80...200).contains(bytes.count))
    }

    @Test(arguments: 1...20)
    func `Cut and flipped records are refused or mean something`(seed: UInt64) {
        var random = SplitMix(state: seed)
        for kind in Self.kinds(&random) {
            let bytes = Self.encoded(
                StreamEvent(deviceTime: BinaryFrameTests.time, kind: kind))
            for cut in 0..<bytes.count {
                #expect(throws: RecordRefusal.self) {
                    try StreamEventCodec.decode(bytes.span.extracting(0..<cut))
                }
            }
            #expect(throws: RecordRefusal.tooLong(bytes: 1)) {
                try StreamEventCodec.decode((bytes + [0]).span)
            }
            for _ in 0..<50 {
                var flipped = bytes
                flipped[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    UInt8.random(in: 1...255, using: &random)
                // It may be refused or not, but must not trap.
                _ = try? StreamEventCodec.decode(flipped.span)
            }
        }
    }

    @Test func `Another version is refused by its number`() {
        var bytes = Self.encoded(StreamEvent(deviceTime: BinaryFrameTests.time, kind: .ended))
        bytes[0] = 9
        #expect(throws: RecordRefusal.unknownVersion(9)) {
            try StreamEventCodec.decode(bytes.span)
        }
        #expect(RecordRefusal.unknownVersion(9).description.contains("install the newer daemon"))
    }
}
