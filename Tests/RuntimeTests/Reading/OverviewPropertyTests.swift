import Foundation
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Simulator
import Testing

@testable import Runtime

/// What an overview has, against the whole history of the same share at the same moment.
@Suite struct OverviewPropertyTests {
    private static let seeds: Range<UInt64> =
        0..<(ProcessInfo.processInfo.environment["PULSECAST_LONG"] == nil ? 24 : 400)

    /// One runner: a walk from a home that may be hidden.
    private struct Walker {
        let device: UInt32
        var latitude: Double
        var longitude: Double
        var heading: Double
        var meters = 0.0
        var lastSecond = 0

        mutating func move(_ second: Int, _ generator: inout SeededGenerator) {
            heading += Double.random(in: -0.4...0.4, using: &generator)
            let step = Double.random(in: 0...9, using: &generator)
            meters += step
            latitude += step * cos(heading) / 111_195
            longitude += step * sin(heading) / 111_195
            lastSecond = second
        }

        func metrics(_ generator: inout SeededGenerator) -> Metrics {
            var metrics = Metrics()
            metrics.state = Int.random(in: 0..<12, using: &generator) == 0 ? .paused : .live
            metrics.heartRate = HeartRateMetric(
                beatsPerMinute: .random(in: 90...180, using: &generator), zone: 3,
                state: Bool.random(using: &generator) ? .live : .stale, ageSeconds: 1)
            metrics.cadence = CadenceMetric(
                stepsPerMinute: 171.26, confidence: 0.9, uncertainty: 1, state: .live)
            metrics.distanceMeters = meters
            metrics.speedMetersPerSecond = .random(in: 2...4, using: &generator)
            metrics.paceSecondsPerKm = 331.4
            metrics.elapsedSeconds = Double(lastSecond)
            metrics.movingSeconds = Double(lastSecond)
            metrics.position = PositionMetric(
                latitude: latitude, longitude: longitude, altitudeMeters: 412.34,
                horizontalAccuracyMeters: 4, courseDegrees: 90,
                state: Int.random(in: 0..<9, using: &generator) == 0 ? .stale : .live)
            return metrics
        }
    }

    private static func event(_ walker: Walker, _ generator: inout SeededGenerator)
        -> StreamEvent.Kind
    {
        let now = OverviewLog.time(Double(walker.lastSecond))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .marker("\(walker.device) at \(walker.lastSecond)")
        case 1: return .paused(since: now, automatic: true)
        case 2: return .resumed(since: now, automatic: true)
        case 3: return .zoneChanged(from: 2, to: 3)
        default:
            return .split(
                Split(
                    unit: .kilometer, number: 1 + walker.lastSecond / 300, seconds: 300,
                    averageHeartRate: 150,
                    elevationMeters: 1))
        }
    }

    private static func privacy(
        around walker: Walker, _ generator: inout SeededGenerator
    ) -> PrivacySettings {
        var settings = PrivacySettings(
            zones: [], trimStartMeters: 0, trimFinishMeters: 0, salt: generator.next())
        if Bool.random(using: &generator) {
            settings.zones.append(
                PrivacyZone(
                    name: "home", latitude: walker.latitude + 0.002, longitude: walker.longitude,
                    radiusMeters: .random(in: 50...400, using: &generator)))
        }
        if Bool.random(using: &generator) { settings.trimStartMeters = 60 }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            settings.trimFinishMeters = 60
            settings.finishSecondsLate = 45
        }
        return settings
    }

    private static func share(_ device: UInt32, _ generator: inout SeededGenerator) -> Share {
        Share(
            key: ShareKey(rawValue: device), name: "s\(device)", idHash: .zero,
            target: .device(DeviceID(rawValue: device)),
            scope: Scope(rawValue: .random(in: 1...7, using: &generator)),
            delaySeconds: Bool.random(using: &generator) ? 0 : 40, createdAt: OverviewLog.start)
    }

    /// A runner's missing seconds, events, and backlogs that arrive late.
    private static func record(
        _ second: Int, of walker: inout Walker, in log: OverviewLog,
        _ generator: inout SeededGenerator
    ) {
        walker.move(second, &generator)
        guard (second / 100 + Int(walker.device)) % 5 != 3 else { return }
        let time = OverviewLog.time(Double(second))
        func append(_ kind: StreamEvent.Kind) {
            log.append(
                StreamEvent(deviceTime: time, kind: kind), of: walker.device, arrival: time)
        }
        append(.metrics(walker.metrics(&generator)))
        while Int.random(in: 0..<4, using: &generator) == 0 {
            append(event(walker, &generator))
            append(.metrics(walker.metrics(&generator)))
        }
    }

    @Test(arguments: seeds)
    func `An overview has just what the history of the same share has`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 5)
        let log = try OverviewLog()
        var walkers = (1...3).map { device in
            Walker(
                device: UInt32(device), latitude: 48 + Double(device) / 10, longitude: 0,
                heading: .random(in: 0...6, using: &generator))
        }
        let settings = walkers.map { Self.privacy(around: $0, &generator) }
        let shares = walkers.map { Self.share($0.device, &generator) }
        for walker in walkers { log.begin(walker.device, at: OverviewLog.start) }
        let late = Bool.random(using: &generator) ? 0 : 20.0
        var points = 0
        for second in 1...700 {
            for index in walkers.indices {
                Self.record(second, of: &walkers[index], in: log, &generator)
            }
            guard Int.random(in: 0..<80, using: &generator) == 0 || second == 700 else { continue }
            log.set(Double(second) + (second == 700 ? 1200 : 0.1))
            var sources = zip(shares, settings).map { log.source($0, $1) }
            for index in sources.indices { sources[index].secondsLate = late }
            for wanted in sources.indices {
                let size = Int.random(in: 1...200, using: &generator)
                for reader in second == 700 ? [log, log.cold()] : [log] {
                    points += try OverviewCheck.check(
                        try reader.overview(of: sources, wanted: wanted, points: size),
                        against: try reader.history(of: sources[wanted]), points: size,
                        sources[wanted].share.scope)
                }
            }
        }
        #expect(points > 0)
    }
}

/// Compares an overview with a history.
enum OverviewCheck {
    typealias Object = OverviewLog.Object

    /// - Returns: The number of points.
    static func check(
        _ overview: Object, against history: [Object], points: Int, _ scope: Scope
    ) throws -> Int {
        let shown = history.filter { $0["type"] as? String == "update" }
        let columns = try #require(overview["points"] as? [String: [Any]])
        let seconds = try #require(columns["seconds"] as? [Double])
        let start = overview["start"] as? Double ?? 0
        let step = try #require(overview["stepSeconds"] as? Double)
        let times = seconds.map { Int((start * 1000).rounded()) + Int(($0 * 1000).rounded()) }
        let byTime = Dictionary(grouping: shown, by: milliseconds)
        #expect(columns.values.allSatisfy { $0.count == times.count } && times.count <= points)
        for (index, time) in times.enumerated() {
            // The newest of a second is what a history without pages has of it.
            let same = byTime[time]?.last { isSame($0, columns, at: index) }
            #expect(same != nil, "\(time): \(columns.mapValues { $0[index] })")
        }
        // Every time step of the history that has an update has a point, the newest.
        let newest = Dictionary(grouping: shown.map(milliseconds)) {
            Int((Double($0) / 1000 / step).rounded(.down))
        }
        #expect(newest.values.compactMap { $0.max() }.sorted() == times)
        let events = history.filter { $0["type"] as? String != "update" }
        #expect(events as NSArray == overview["events"] as? NSArray)
        #expect(history.last?["cursor"] as? String == overview["cursor"] as? String)
        for (scoped, names) in [
            (Scope.heartRate, ["bpm", "zone"]), (.location, ["latitude", "altitudeMeters"]),
            (.metrics, ["distanceMeters", "paceSecondsPerKm", "stepsPerMinute"]),
        ] {
            #expect(names.allSatisfy { (columns[$0] != nil) == scope.contains(scoped) })
        }
        return times.count
    }

    private static func milliseconds(_ item: Object) -> Int {
        Int(((item["time"] as? Double ?? 0) * 1000).rounded())
    }

    private static func isSame(_ item: Object, _ columns: [String: [Any]], at index: Int) -> Bool {
        func part(_ name: String) -> Object? {
            let part = item[name] as? Object
            return ["stale", "waiting"].contains(part?["state"] as? String) ? nil : part
        }
        let isPaused = item["state"] as? String == "paused" || item["autoPaused"] as? Bool == true
        let expected: [String: Any?] = [
            "bpm": part("heartRate")?["bpm"], "zone": part("heartRate")?["zone"],
            "stepsPerMinute": part("cadence")?["stepsPerMinute"],
            "distanceMeters": item["distanceMeters"],
            "speedMetersPerSecond": item["speedMetersPerSecond"],
            "paceSecondsPerKm": item["paceSecondsPerKm"],
            "latitude": part("position")?["latitude"], "longitude": part("position")?["longitude"],
            "altitudeMeters": part("position")?["altitudeMeters"], "paused": isPaused ? 1.0 : 0.0,
        ]
        return columns.allSatisfy { name, values in
            guard name != "seconds" else { return true }
            guard let wanted = expected[name].flatMap({ $0 as? Double }) else {
                return values[index] is NSNull
            }
            let tolerance = name.hasSuffix("tude") ? 0.51e-6 : 1e-9
            return (values[index] as? Double).map { abs($0 - wanted) <= tolerance } ?? false
        }
    }
}
