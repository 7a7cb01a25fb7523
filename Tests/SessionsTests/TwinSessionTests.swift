import Glibc
import Processing
import SensorModel
import Sharing
import Testing

/// Two sessions of one runner with the same visible and different hidden parts are shown alike: no
/// value may appear or be missing because of a hidden part.
struct TwinSessionTests {
    /// The hidden part, before the runner is in view.
    struct Beginning: CustomTestStringConvertible {
        let seconds: Int
        let metersPerSecond: Double
        let beatsPerMinute: Double
        let laps: Int
        /// Whether the runner pauses by hand after five seconds, until in view.
        var isPaused = false
        /// Height of the hills before the runner is in view.
        var hillMeters = 0.0

        var testDescription: String { "\(seconds) s at \(metersPerSecond) m/s" }
    }

    private typealias Shown = (second: Int, kind: String, metrics: Metrics?)

    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let shownSeconds = 1500
    private static let metersADegree = 6_371_000 * Double.pi / 180

    /// The recorded events of a run north at 3 m/s, in view from second 0 on: 300 m from the door.
    private static func events(after beginning: Beginning) throws -> [StreamEvent] {
        var profile = RunnerProfile()
        profile.restingHeartRate = 50
        profile.weightKg = 70
        profile.targetZone = 3
        profile.raceKm = 10
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        for second in -beginning.seconds..<shownSeconds {
            let time = start.advanced(bySeconds: Double(second))
            let isHidden = second < 0
            let speed = isHidden ? beginning.metersPerSecond : 3
            let beats =
                isHidden ? beginning.beatsPerMinute : 150 + Double((second + 3000) % 7)
            pipeline.apply(
                heartRate: try HeartRateSample(beatsPerMinute: beats), at: time, into: &events)
            pipeline.apply(
                location: try Location(
                    latitude: 48 + north(second, beginning) / metersADegree, longitude: 11,
                    altitude: altitude(second, beginning), horizontalAccuracy: 4,
                    speed: speed, course: 0), at: time, into: &events)
            if beginning.isPaused, second == 5 - beginning.seconds {
                pipeline.apply(control: .pause, at: time, into: &events)
            }
            if beginning.isPaused, second == -1 {
                pipeline.apply(control: .resume, at: time, into: &events)
            }
            if isHidden, beginning.laps > 0, second % (beginning.seconds / beginning.laps) == 0 {
                pipeline.apply(control: .lap, at: time, into: &events)
            }
        }
        pipeline.apply(
            control: .stop, at: start.advanced(bySeconds: Double(shownSeconds)), into: &events)
        return events
    }

    /// A hill of 30 m in view, and small steps on it.
    private static func altitude(_ second: Int, _ beginning: Beginning) -> Double {
        guard second >= 0 else {
            return 500 + beginning.hillMeters * (cos(Double(second) / 40) - 1)
        }
        let hill = second < 800 ? 0 : min(Double(second - 800) / 10, 30)
        return 500 + hill + Double((second + 3000) / 30 % 3)
    }

    /// Meters from the place at second 0; before it, to and fro near the door, 100 m south.
    private static func north(_ second: Int, _ beginning: Beginning) -> Double {
        guard second < 0 else { return 3 * Double(second) }
        let way = (beginning.metersPerSecond * Double(-second)).truncatingRemainder(dividingBy: 200)
        return -min(way, 200 - way)
    }

    /// The viewers' events by second, with a hidden radius of 100 m behind the first shown point.
    private static func shown(after beginning: Beginning) throws -> [Shown] {
        let settings = PrivacySettings(
            zones: [
                PrivacyZone(
                    name: "home", latitude: 48 - 100 / metersADegree, longitude: 11,
                    radiusMeters: 200)
            ], trimStartMeters: 0, trimFinishMeters: 0, salt: 0x5EED, showsHeartRate: false)
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        var shown: [ShownEvent] = []
        for (index, event) in try events(after: beginning).enumerated() {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(index + 1)), arrival: event.deviceTime,
                into: &shown)
        }
        return shown.map { shown in
            let second = Int(shown.event.deviceTime.seconds(since: start).rounded())
            guard case .metrics(let metrics) = shown.event.kind else {
                return (second, "\("\(shown.event.kind)".prefix { $0 != "(" })", nil)
            }
            return (second, "metrics", metrics)
        }
    }

    /// Names of all values, including nested ones.
    private static func names(of value: Any, _ path: String = "") -> Set<String> {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { names(of: $0.value, path) } ?? []
        }
        return mirror.children.reduce(into: [path]) { found, child in
            found.formUnion(names(of: child.value, path + "." + (child.label ?? "")))
        }
    }

    @Test(
        arguments: [
            Beginning(seconds: 20, metersPerSecond: 2, beatsPerMinute: 130, laps: 0),
            Beginning(seconds: 290, metersPerSecond: 1.2, beatsPerMinute: 150, laps: 0),
            Beginning(
                seconds: 310, metersPerSecond: 1.1, beatsPerMinute: 120, laps: 0, hillMeters: 30),
            Beginning(
                seconds: 1200, metersPerSecond: 0.8, beatsPerMinute: 170, laps: 4, hillMeters: 8),
            Beginning(seconds: 4000, metersPerSecond: 0.8, beatsPerMinute: 100, laps: 2),
            Beginning(
                seconds: 700, metersPerSecond: 0, beatsPerMinute: 100, laps: 0, isPaused: true),
        ])
    func `What was hidden brings no value and takes none away`(beginning: Beginning) throws {
        let usual = Beginning(seconds: 120, metersPerSecond: 3, beatsPerMinute: 160, laps: 0)
        let (expected, found) = (try Self.shown(after: usual), try Self.shown(after: beginning))
        // A split's record replaces one second's metrics. It comes a second later or sooner,
        // because the correction factor of speeds differs.
        let others = { (events: [Shown]) in
            events.filter { $0.metrics == nil && $0.kind != "split" }
        }
        #expect(others(found).map(\.second) == others(expected).map(\.second))
        #expect(others(found).map(\.kind) == others(expected).map(\.kind))
        #expect(found.first?.second == expected.first?.second)
        #expect(found.contains { $0.metrics?.trainingLoad != nil })
        #expect(found.contains { $0.metrics?.elevationGainMeters ?? 0 > 25 })
        let expectedMetrics = Dictionary(
            expected.map { ($0.second, $0.metrics) }, uniquingKeysWith: { $1 ?? $0 })
        for found in found {
            guard let here = found.metrics, let there = expectedMetrics[found.second] ?? nil else {
                continue
            }
            let differing = Self.names(of: here).symmetricDifference(Self.names(of: there))
            #expect(differing.isEmpty, "second \(found.second)")
            #expect(here.elapsedSeconds == there.elapsedSeconds)
            #expect(here.movingSeconds == there.movingSeconds)
            #expect(here.zoneSeconds == there.zoneSeconds)
            #expect(here.maxHeartRate == there.maxHeartRate)
            // If a second has two metrics, an earlier one may be compared with a later one.
            func isAlike(_ value: KeyPath<Metrics, Double?>) -> Bool {
                abs((here[keyPath: value] ?? 0) - (there[keyPath: value] ?? 0)) < 0.15
            }
            #expect(isAlike(\.elevationGainMeters) && isAlike(\.elevationLossMeters))
            #expect(abs((here.averageHeartRate ?? 0) - (there.averageHeartRate ?? 0)) < 1e-6)
        }
    }
}
