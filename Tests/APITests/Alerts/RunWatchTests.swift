import SensorModel
import Testing

@testable import API

@Suite struct RunWatchTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let device = DeviceID(rawValue: 7)
    private static let silence = [device: 900.0]

    private static func at(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    private static func run(
        _ session: UInt64 = 1, of device: DeviceID = device, arrival: Double,
        isEnded: Bool = false, isStopped: Bool = false, isPaused: Bool = false, elapsed: Double = 0,
        meters: Double = 2000,
        checkpoint: String? = nil, predicted: Double? = nil
    ) -> RunWatch.Observation {
        RunWatch.Observation(
            session: SessionID(high: session, low: 1), device: device, lastArrival: at(arrival),
            isStopped: isStopped, isEnded: isEnded || isStopped, isPausedByHand: isPaused,
            elapsedSeconds: elapsed,
            distanceMeters: meters, checkpoint: checkpoint, predictedSeconds: predicted)
    }

    private static func text(_ changes: [RunWatch.Change]) -> [String] {
        changes.map {
            switch $0 {
            case .raised(let key, _, let since, let expected):
                "\(key.topic) \(Int(since.seconds(since: start))) \(expected?.checkpoint ?? "")"
            case .over(let key): "over \(key.topic)"
            case .stopped: "stopped"
            }
        }
    }

    @Test func `Silence is told once, also of a session that memory has lost, and its end`() {
        var watch = RunWatch()
        func update(_ runs: [RunWatch.Observation], _ seconds: Double) -> [String] {
            Self.text(watch.update(runs, silentSeconds: Self.silence, at: Self.at(seconds)))
        }
        #expect(update([Self.run(arrival: 5)], 10).isEmpty)
        #expect(update([Self.run(arrival: 5)], 904).isEmpty)
        // The daemon's rule has ended it by then, and it may have left the memory.
        #expect(update([], 905) == ["silent 5 "])
        #expect(update([Self.run(arrival: 5, isEnded: true)], 1000).isEmpty)
        #expect(update([Self.run(arrival: 1200)], 1201) == ["over silent"])
        #expect(update([Self.run(arrival: 1200)], 2100) == ["silent 1200 "])
    }

    @Test func `A runner who stopped or paused is not silent, nor is one whose owner did not ask`()
    {
        for last in [
            Self.run(arrival: 100, isStopped: true), Self.run(arrival: 100, isPaused: true),
        ] {
            var watch = RunWatch()
            _ = watch.update([Self.run(arrival: 5)], silentSeconds: Self.silence, at: Self.at(10))
            _ = watch.update([last], silentSeconds: Self.silence, at: Self.at(110))
            #expect(watch.update([], silentSeconds: Self.silence, at: Self.at(9000)).isEmpty)
        }
        var watch = RunWatch()
        _ = watch.update([Self.run(arrival: 5)], silentSeconds: [:], at: Self.at(10))
        #expect(watch.update([], silentSeconds: [:], at: Self.at(9000)).isEmpty)
    }

    @Test func `A session that was over when it was seen first is no run`() {
        var watch = RunWatch()
        let old = Self.run(arrival: -5000, isEnded: true)
        #expect(watch.update([old], silentSeconds: Self.silence, at: Self.at(0)).isEmpty)
    }

    @Test func `Overdue is who does not come when the first prediction said`() {
        var watch = RunWatch()
        func update(_ run: RunWatch.Observation, _ seconds: Double) -> [String] {
            Self.text(watch.update([run], silentSeconds: [:], at: Self.at(seconds)))
        }
        func run(_ seconds: Double, _ checkpoint: String?, in left: Double?) -> [String] {
            update(
                Self.run(
                    arrival: seconds, elapsed: seconds, checkpoint: checkpoint,
                    predicted: left.map { seconds + $0 }), seconds)
        }
        #expect(run(600, "KM 4", in: 1200).isEmpty)
        // Expected at 1800, with a margin of 300 s. A runner who stands is predicted ever later.
        #expect(run(2000, "KM 4", in: 1200).isEmpty)
        #expect(run(2101, "KM 4", in: 1200) == ["overdue 2101 KM 4"])
        #expect(run(2200, "KM 4", in: 1200).isEmpty)
        #expect(run(2300, "KM 5", in: 4000) == ["over overdue"])
        // The margin is a quarter of the time until then.
        #expect(run(7299, "KM 5", in: 4000).isEmpty)
        #expect(run(7301, "KM 5", in: 4000) == ["overdue 7301 KM 5"])
        #expect(run(7400, nil, in: nil) == ["over overdue"])
    }

    @Test func `A mean speed of a few meters predicts nothing`() {
        var watch = RunWatch()
        let early = Self.run(arrival: 5, meters: 100, checkpoint: "KM 1", predicted: 60)
        _ = watch.update([early], silentSeconds: [:], at: Self.at(5))
        #expect(watch.update([early], silentSeconds: [:], at: Self.at(3000)).isEmpty)
    }

    @Test func `A watch that only connects again has neither stopped nor come back`() {
        var watch = RunWatch()
        let asked = [Self.device: 1500.0]
        func update(_ run: RunWatch.Observation, _ seconds: Double) -> [String] {
            Self.text(watch.update([run], silentSeconds: asked, at: Self.at(seconds)))
        }
        #expect(update(Self.run(arrival: 5), 10).isEmpty)
        // After ten minutes of silence the session is over; a hello counts as an arrival.
        #expect(update(Self.run(arrival: 650, isEnded: true), 651).isEmpty)
        #expect(update(Self.run(arrival: 650, isEnded: true), 2151) == ["silent 650 "])
    }

    @Test func `Two runs of a device that are sent at once do not end each other`() {
        var watch = RunWatch()
        for second in stride(from: 0.0, through: 300, by: 10) {
            let both = [Self.run(1, arrival: second), Self.run(2, arrival: second + 5)]
            let changes = watch.update(both, silentSeconds: Self.silence, at: Self.at(second + 6))
            #expect(changes.isEmpty)
        }
    }

    @Test func `A device's next run ends what was told of the one before`() {
        var watch = RunWatch()
        func update(_ runs: [RunWatch.Observation], _ seconds: Double) -> [String] {
            Self.text(watch.update(runs, silentSeconds: Self.silence, at: Self.at(seconds)))
        }
        #expect(update([Self.run(1, arrival: 5)], 10).isEmpty)
        #expect(update([], 1000) == ["silent 5 "])
        let both = [Self.run(2, arrival: 1200), Self.run(1, arrival: 5, isEnded: true)]
        #expect(update(both, 1201) == ["stopped"])
        #expect(update(both, 2200) == ["silent 1200 "])
    }

    @Test func `What was told before a restart ends when the runner is back`() {
        var watch = RunWatch()
        let late = RunWatch.Expectation(checkpoint: "KM 4", at: Self.at(50), marginSeconds: 300)
        watch.restore(Self.run(arrival: 5), isSilent: true)
        watch.restore(Self.run(arrival: 5), overdue: late)
        watch.restore(Self.run(2, arrival: 9))
        func update(_ runs: [RunWatch.Observation], _ seconds: Double) -> [String] {
            Self.text(watch.update(runs, silentSeconds: Self.silence, at: Self.at(seconds)))
        }
        #expect(update([], 2000).isEmpty)
        let back = Self.run(arrival: 2100, elapsed: 2100, checkpoint: "KM 5", predicted: 9000)
        #expect(update([back], 2101) == ["over silent", "over overdue"])
        var other = RunWatch()
        other.restore(Self.run(arrival: 5))
        let silent = other.update([], silentSeconds: Self.silence, at: Self.at(1000))
        #expect(Self.text(silent) == ["silent 5 "], "silent across the restart")
    }

    @Test func `Devices are watched up to a bound, one run each`() {
        var watch = RunWatch()
        let many = (0..<3000).map { number in
            Self.run(UInt64(number), of: DeviceID(rawValue: UInt32(number) / 2), arrival: 0)
        }
        _ = watch.update(many, silentSeconds: [:], at: Self.at(1))
        let asked = Dictionary(
            uniqueKeysWithValues: (0..<1500).map { (DeviceID(rawValue: $0), 900.0) })
        let told = watch.update([], silentSeconds: asked, at: Self.at(1000))
        #expect(told.count == RunWatch.countMax)
        // Twelve hours later they are given up.
        #expect(watch.update([], silentSeconds: asked, at: Self.at(50_000)).isEmpty)
    }
}
