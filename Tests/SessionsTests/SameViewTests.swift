import Foundation
import Processing
import SensorModel
import Sharing
import Testing

/// Runs with the same visible part and different hidden parts: viewers must see no difference in
/// any computed value.
@Suite struct SameViewTests {
    /// The runner's movements in the zone around the door, before the visible part.
    struct Hidden: Sendable {
        var waitSeconds = 0
        var loopSeconds = 0
        var beatsPerMinute = 120.0
    }

    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let degree = 111_194.9
    private static let home = 48.0

    private static let privacy = PrivacySettings(
        zones: [PrivacyZone(name: "home", latitude: home, longitude: 11, radiusMeters: 300)],
        trimStartMeters: 0, trimFinishMeters: 0, salt: 1)

    private static func profile() -> RunnerProfile {
        var profile = RunnerProfile()
        profile.weightKg = 70
        profile.restingHeartRate = 50
        profile.targetZone = 3
        profile.targetPaceSecondsPerKm = 300
        profile.raceKm = 10
        profile.intervals = IntervalPlan(text: "3x(500m,400m),20:00")
        return profile
    }

    private static func course() -> Course {
        Course(
            points: (0..<100).map {
                .init(latitude: home + 100 * Double($0) / degree, longitude: 11)
            },
            checkpoints: (1...4).map { number in
                .init(
                    name: "K\(number)", latitude: home + 2000 * Double(number) / degree,
                    longitude: 11)
            })
    }

    private static func frames(_ hidden: Hidden) throws -> [(
        second: Int, payloads: [Frame.Payload]
    )] {
        func location(_ meters: Double, speed: Double, altitude: Double = 500) throws
            -> Frame.Payload
        {
            .location(
                try Location(
                    latitude: home + meters / degree, longitude: 11, altitude: altitude,
                    horizontalAccuracy: 5, verticalAccuracy: 5, speed: speed, course: 0))
        }
        func beats(_ rate: Double) throws -> Frame.Payload {
            .heartRate(try HeartRateSample(beatsPerMinute: rate))
        }
        var frames: [(second: Int, payloads: [Frame.Payload])] = []
        for _ in 0..<hidden.waitSeconds {
            frames.append(
                (frames.count, [try location(0, speed: 0), try beats(hidden.beatsPerMinute)]))
        }
        // 100 m away from the route and back.
        for second in 0..<hidden.loopSeconds {
            let turn = Double(second % 100)
            let place = try location(-2 * min(turn, 100 - turn), speed: 2)
            frames.append((frames.count, [place, try beats(hidden.beatsPerMinute)]))
        }
        var meters = 0.0
        for second in 0..<1500 {
            let speed = second < 700 ? 3 : (second / 300) % 2 == 1 ? 2.4 : 3.9
            meters += speed
            var payloads = [
                try location(
                    meters, speed: speed,
                    altitude: second < 700 ? 500 : 500 + Double(second % 60) / 10),
                try beats(130 + Double(second % 40)),
            ]
            if second == 900 { payloads.append(.control(.lap)) }
            if second == 1100 { payloads.append(.marker("here")) }
            frames.append((frames.count, payloads))
        }
        return frames
    }

    /// The viewers' history without cursors, with times counted from the first shown event.
    private static func shown(_ hidden: Hidden) throws -> [[String: Any]] {
        var pipeline = SessionPipeline(profile: profile())
        var projection = SessionProjection(ProjectionRule(share, privacy: privacy))
        projection.note(.beginning)
        var events: [StreamEvent] = []
        pipeline.apply(route: CourseRoute(course()), at: start, into: &events)
        for (second, payloads) in try frames(hidden) {
            for payload in payloads {
                pipeline.apply(
                    payload, at: start.advanced(bySeconds: Double(second)), into: &events)
            }
        }
        var shown: [ShownEvent] = []
        for (index, event) in events.enumerated() {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(index + 1)), arrival: event.deviceTime,
                into: &shown)
        }
        let first = try #require(shown.first).event.deviceTime
        let encoder = HistoryEncoder(epoch: 1, scope: .all)
        return try shown.map { event in
            let moved = StreamEvent(
                deviceTime: start.advanced(bySeconds: event.event.deviceTime.seconds(since: first)),
                kind: event.event.kind)
            let json = encoder.item(of: moved, at: RecordOffset(rawValue: 1)) ?? []
            return try #require(
                JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        }
    }

    /// Finds paths at which two values differ: in keys, in texts, or by more than the distance's
    /// step of some meters.
    private static func differences(
        _ one: Any?, _ other: Any?, at path: String, _ found: inout Set<String>
    ) {
        switch (one, other) {
        case (let one as [String: Any], let other as [String: Any]):
            for key in Set(one.keys).union(other.keys) {
                differences(one[key], other[key], at: "\(path).\(key)", &found)
            }
        case (let one as [Any], let other as [Any]) where one.count == other.count:
            for (mine, theirs) in zip(one, other) {
                differences(mine, theirs, at: path, &found)
            }
        case (let one as Double, let other as Double):
            let step =
                path.hasSuffix("distanceMeters") || path.hasSuffix("predictedSeconds") ? 12.0 : 1
            if abs(one - other) > step + 0.03 * abs(one) {
                found.insert("\(path): \(one), \(other)")
            }
        case (let one as String, let other as String):
            if one != other { found.insert("\(path): \(one), \(other)") }
        case (nil, nil): break
        default: found.insert("\(path): \(one ?? "none"), \(other ?? "none")")
        }
    }

    private static let share = Share(
        key: ShareKey(rawValue: 1), name: "share", idHash: .zero,
        target: .device(DeviceID(rawValue: 1)), scope: .all, delaySeconds: 0, expiresAt: nil,
        createdAt: start)

    @Test(arguments: [
        Hidden(waitSeconds: 300), Hidden(loopSeconds: 1000),
        Hidden(waitSeconds: 100, loopSeconds: 600, beatsPerMinute: 170),
    ])
    func `Two hidden ways before one shown way look alike`(hidden: Hidden) throws {
        let one = try Self.shown(Hidden(loopSeconds: 100))
        let other = try Self.shown(hidden)
        var found: Set<String> = []
        let (mine, theirs) = (Self.updates(one), Self.updates(other))
        // A split's record replaces some of them.
        let both = Set(mine.keys).intersection(theirs.keys)
        #expect(both.count > 1200)
        for time in both { Self.differences(mine[time], theirs[time], at: "", &found) }
        Self.differences(Self.events(one), Self.events(other), at: "event", &found)
        #expect(found.isEmpty, "\(found.sorted().prefix(8))")
    }

    private static func updates(_ items: [[String: Any]]) -> [Double: [String: Any]] {
        var updates: [Double: [String: Any]] = [:]
        for item in items where item["type"] as? String == "update" {
            // Distance grows in steps, so one run's prediction may come a step earlier.
            guard let time = item["time"] as? Double,
                let meters = item["distanceMeters"] as? Double,
                abs(meters - 200) > 15
            else { continue }
            updates[time] = item
        }
        return updates
    }

    /// Events without splits, whose positions in the list also depend on the steps.
    private static func events(_ items: [[String: Any]]) -> [[String: Any]] {
        items.filter {
            $0["type"] as? String == "event" && $0["event"] as? String != "split"
        }.map { item in
            var item = item
            item["time"] = nil
            return item
        }
    }
}
