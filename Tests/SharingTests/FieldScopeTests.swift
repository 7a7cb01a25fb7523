import SensorModel
import Testing

@testable import Sharing

@Suite struct FieldScopeTests {
    /// The contract's fields, listed independently of the code.
    static let always: Set<String> = [
        "state", "startedAt", "elapsedSeconds", "movingSeconds", "pausedSeconds", "autoPaused",
        "alerts",
    ]
    static let heartRate: Set<String> = [
        "heartRate", "zoneSeconds", "averageHeartRate", "maxHeartRate", "targetZonePercent",
    ]
    static let metrics: Set<String> = [
        "cadence", "steps", "distanceMeters", "distanceUncertaintyMeters", "speedMetersPerSecond",
        "speedUncertainty", "paceSecondsPerKm", "gradeAdjustedPaceSecondsPerKm",
        "elevationGainMeters", "elevationLossMeters", "gradePercent", "powerWatts",
        "averageCadence", "gps", "splits", "trainingLoad", "caloriesKcal", "effortKm",
        "finishEstimate", "interval", "measured", "battery", "charging",
    ]
    static let location: Set<String> = ["position", "course"]
    static let head: Set<String> = ["type", "cursor", "time"]

    static let scopes = (0...Scope.all.rawValue).map { Scope(rawValue: $0) }

    static func expected(_ scope: Scope) -> Set<String> {
        var keys = always
        if scope.contains(.heartRate) { keys.formUnion(heartRate) }
        if scope.contains(.metrics) { keys.formUnion(metrics) }
        if scope.contains(.location) { keys.formUnion(location) }
        if scope.isSuperset(of: [.heartRate, .metrics]) { keys.insert("decouplingPercent") }
        return keys
    }

    @Test func `Each number of the metrics is the value of a key`() {
        let metrics = Fixture.fullMetrics()
        let shown = Set(FieldKey.allCases.compactMap { $0.number(of: metrics)?.value })
        for child in Mirror(reflecting: metrics).children
        where type(of: child.value) == Double?.self {
            let value = child.value as? Double
            #expect(value.map(shown.contains) == true, "\(child.label ?? "?")")
        }
    }

    @Test(arguments: scopes)
    func `A snapshot has the keys of its scope and no others`(scope: Scope) throws {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var view = ShareView(
            Fixture.share(scope: scope), cursor: Fixture.cursor(0), at: Fixture.start)
        let split = Split(
            unit: .kilometer, number: 1, seconds: 331.2, averageHeartRate: 139,
            elevationMeters: 3)
        let events: [StreamEvent] = [
            Fixture.metricsEvent(0, Fixture.fullMetrics()),
            StreamEvent(deviceTime: Fixture.time(0.5), kind: .split(split)),
            Fixture.metricsEvent(1, Fixture.fullMetrics()),
        ]
        for (offset, event) in events.enumerated() {
            let update = fields.take(event, at: RecordOffset(rawValue: UInt64(offset)))
            _ = view.take(update, at: event.deviceTime)
        }
        let object = try Fixture.object(SnapshotEncoder.object(view.snapshot))
        #expect(Set(object.keys) == Self.expected(scope).union(Self.head))
        if let splits = object["splits"] as? [[String: Any]] {
            #expect(
                (splits.first?["averageHeartRate"] != nil) == scope.contains(.heartRate))
        }
        let alerts = object["alerts"] as? [String]
        #expect(alerts == (scope.contains(.heartRate) ? ["zoneDrift", "sos"] : ["sos"]))
    }

    @Test(arguments: scopes)
    func `A history item has the keys of its scope and no others`(scope: Scope) throws {
        let history = HistoryEncoder(epoch: 1, scope: scope)
        let item = history.item(
            of: Fixture.metricsEvent(0, Fixture.fullMetrics()), at: RecordOffset(rawValue: 5))
        let keys = try Set(Fixture.object(try #require(item)).keys)
        let events: Set<String> = ["splits", "alerts", "startedAt"]
        #expect(keys == Self.expected(scope).subtracting(events).union(Self.head))
    }

    static let interval = Interval(
        number: 2, count: 11, goal: .meters(1000), start: Fixture.time(-300), end: Fixture.start,
        seconds: 290, distanceMeters: 1000, averageHeartRate: 165, maxHeartRate: 172)

    static let events: [(StreamEvent.Kind, Scope)] = [
        (.intervalEnded(interval), .metrics),
        (.intervalEnding(number: 2, seconds: 3), .metrics),
        (
            .intervalStarted(
                IntervalStart(number: 1, count: 2, goal: .seconds(60), since: Fixture.start)),
            .metrics
        ),
        (
            .checkpointReached(
                CheckpointReached(checkpoint: "a", elapsedSeconds: 60, distanceMeters: 200)),
            .location
        ),
        (.marker("hello"), []),
        (.paused(since: Fixture.start, automatic: true), []),
        (.resumed(since: Fixture.start, automatic: false), []),
        (.gap(from: FrameSequence(rawValue: 3), to: FrameSequence(rawValue: 9)), []),
        (.ended, []),
        (.zoneChanged(from: 2, to: 3), .heartRate),
        (.sourceChanged(from: nil, to: "strap"), .heartRate),
        (.alert(Alert(kind: .zoneDrift, severity: .mild, phase: .triggered)), .heartRate),
        (.alert(Alert(kind: .pace, severity: .mild, phase: .triggered)), .metrics),
        (.alert(Alert(kind: .offCourse, severity: .mild, phase: .triggered)), .location),
        (.alert(Alert(kind: .fall, severity: .emergency, phase: .triggered)), []),
        (.alert(Alert(kind: .sos, severity: .emergency, phase: .triggered)), []),
        (.lap(Lap(number: 1, seconds: 300, distanceMeters: 1000, averageHeartRate: 140)), .metrics),
        (
            .split(
                Split(
                    unit: .kilometer, number: 1, seconds: 331, averageHeartRate: 139,
                    elevationMeters: nil)), .metrics
        ),
    ]

    @Test(arguments: scopes)
    func `An event is seen by the scopes that hold what it is about`(scope: Scope) throws {
        for (kind, needed) in Self.events {
            let event = StreamEvent(deviceTime: Fixture.start, kind: kind)
            let forms = EventEncoder.forms(of: event, cursor: Fixture.cursor(7)).filter {
                $0.visibility.contains(scope)
            }
            #expect(forms.count == (scope.isSuperset(of: needed) ? 1 : 0), "\(kind)")
            guard let form = forms.first else { continue }
            let object = try Fixture.object(form.json)
            #expect(object["cursor"] as? String == "e1-7")
            #expect(scope.contains(.metrics) || object["distanceMeters"] == nil)
            guard !scope.contains(.heartRate) else { continue }
            #expect(object["averageHeartRate"] == nil && object["maxHeartRate"] == nil)
        }
    }
}
