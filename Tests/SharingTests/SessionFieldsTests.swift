import SensorModel
import Testing

@testable import Sharing

@Suite struct SessionFieldsTests {
    private static func taking(
        _ fields: inout SessionFields, _ second: Double, _ metrics: Metrics
    ) -> SessionUpdate {
        fields.take(
            Fixture.metricsEvent(second, metrics), at: RecordOffset(rawValue: UInt64(second)))
    }

    @Test func `Only what reads differently is changed`() {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var metrics = Fixture.fullMetrics()
        #expect(Self.taking(&fields, 0, metrics).begins)
        let same = Self.taking(&fields, 1, metrics)
        #expect(same.changed.isEmpty && !same.begins && !same.urgent)
        metrics.distanceMeters = 4312.69  // 4312.7 as before
        metrics.steps = 5121
        #expect(Self.taking(&fields, 2, metrics).changed.map(\.key) == [.steps])
    }

    @Test func `A value that is gone is said to be gone once`() {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var metrics = Fixture.fullMetrics()
        _ = Self.taking(&fields, 0, metrics)
        metrics.speedMetersPerSecond = nil
        let gone = Self.taking(&fields, 1, metrics)
        #expect(gone.changed.map { Fixture.text($0.bytes) } == ["\"speedMetersPerSecond\":null"])
        #expect(Self.taking(&fields, 2, metrics).changed.isEmpty)
        #expect(!fields.everything.changed.contains { $0.key == .speedMetersPerSecond })
        metrics.speedMetersPerSecond = 2
        let back = Self.taking(&fields, 3, metrics)
        #expect(back.changed.map { Fixture.text($0.bytes) } == ["\"speedMetersPerSecond\":2.00"])
    }

    @Test func `A number that is none is missing`() {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var metrics = Metrics()
        metrics.distanceMeters = .nan
        metrics.speedMetersPerSecond = .infinity
        let keys = Self.taking(&fields, 0, metrics).changed.map(\.key)
        #expect(!keys.contains(.distanceMeters) && !keys.contains(.speedMetersPerSecond))
    }

    static let changes: [@Sendable (inout Metrics) -> Void] = [
        { $0.state = .stale }, { $0.heartRate?.state = .stale }, { $0.cadence?.state = .stale },
        { $0.position?.state = .stale }, { $0.autoPaused = true }, { $0.activeAlerts = [] },
    ]

    @Test(arguments: changes.indices)
    func `A change of any state is urgent`(index: Int) {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var metrics = Fixture.fullMetrics()
        _ = Self.taking(&fields, 0, metrics)
        metrics.steps = 9999
        #expect(!Self.taking(&fields, 1, metrics).urgent)
        Self.changes[index](&metrics)
        #expect(Self.taking(&fields, 2, metrics).urgent)
    }

    @Test func `Splits come with the fields after them, and a correction replaces one`() throws {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        let metrics = Fixture.fullMetrics()
        _ = Self.taking(&fields, 0, metrics)
        func split(_ number: Int, _ seconds: Double) -> Split {
            Split(
                unit: .kilometer, number: number, seconds: seconds, averageHeartRate: 139.4,
                elevationMeters: nil)
        }
        let kinds: [StreamEvent.Kind] = [
            .split(split(1, 300)), .split(split(2, 310)), .correction(.split(split(1, 305))),
        ]
        for (index, kind) in kinds.enumerated() {
            let update = fields.take(
                StreamEvent(deviceTime: Fixture.start, kind: kind),
                at: RecordOffset(rawValue: UInt64(10 + index)))
            #expect(update.changed.isEmpty)
            #expect(update.event.count == 2)
        }
        let changed = Self.taking(&fields, 20, metrics).changed
        #expect(changed.map(\.key) == [.splits, .splits])
        let full = try #require(changed.first { $0.visibility.contains(.all) })
        #expect(
            Fixture.text(full.bytes)
                == #""splits":[{"km":1,"seconds":305.0,"averageHeartRate":139},"#
                + #"{"km":2,"seconds":310.0,"averageHeartRate":139}]"#)
        let bare = try #require(changed.first { $0.visibility.contains(.metrics) })
        #expect(!Fixture.text(bare.bytes).contains("averageHeartRate"))
    }

    @Test func `Splits are bounded`() {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        for number in 1...2000 {
            let split = Split(
                unit: .kilometer, number: number, seconds: 300, averageHeartRate: nil,
                elevationMeters: nil)
            _ = fields.take(
                StreamEvent(deviceTime: Fixture.start, kind: .split(split)),
                at: RecordOffset(rawValue: UInt64(number)))
        }
        let bytes = fields.everything.changed.reduce(0) { $0 + $1.bytes.count }
        #expect(bytes < 64 * 1024)
    }

    @Test func `The heart rate's own time is that of its sample`() {
        let reading = HeartRateReading(Fixture.fullMetrics(), at: Fixture.time(10))
        #expect(reading?.beatsPerMinute == 152)
        #expect(reading?.measuredAt == Fixture.time(9.16))
    }
}
