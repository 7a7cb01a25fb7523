import Foundation
import SensorModel
import Testing

@testable import Sharing

@Suite struct PrivacyFilterTests {
    static func metrics(_ point: Track.Point?, elapsed: Double) -> Metrics {
        var metrics = Fixture.fullMetrics()
        metrics.elapsedSeconds = elapsed
        metrics.position = point.map {
            PositionMetric(
                latitude: $0.latitude, longitude: $0.longitude, altitudeMeters: 500,
                horizontalAccuracyMeters: 5, courseDegrees: 90, state: .live)
        }
        return metrics
    }

    static let home = Track.Point(latitude: 48.2, longitude: 11.6)

    static func settings(
        _ zones: [PrivacyZone], start: Double = 0, finish: Double = 0
    ) -> PrivacySettings {
        PrivacySettings(
            zones: zones, trimStartMeters: start, trimFinishMeters: finish, salt: 0x5EED)
    }

    @Test func `Inside a zone place and speed are missing, distance and heart rate go on`() {
        var generator = SeededGenerator(seed: 1)
        let zone = Track.zone(around: Self.home, radius: 200, &generator)
        var filter = PrivacyFilter(Self.settings([zone]))
        let inside = filter.filter(Self.metrics(Self.home, elapsed: 100))
        #expect(inside.position == nil && inside.course == nil)
        #expect(inside.speedMetersPerSecond == nil && inside.paceSecondsPerKm == nil)
        #expect(inside.gradeAdjustedPaceSecondsPerKm == nil && inside.gradePercent == nil)
        #expect(inside.speedUncertaintyMetersPerSecond == nil)
        #expect(inside.distanceMeters == 4312.74 && inside.heartRate != nil)
        let away = Self.home.moved(east: 2000, north: 0)
        let outside = filter.filter(Self.metrics(away, elapsed: 600))
        #expect(outside.position != nil && outside.speedMetersPerSecond != nil)
    }

    @Test func `The table of hidden keys is what the filter hides`() throws {
        var generator = SeededGenerator(seed: 2)
        let zone = Track.zone(around: Self.home, radius: 200, &generator)
        var hidden = HistoryView(epoch: 1, scope: .all, privacy: Self.settings([zone]))
        var shown = HistoryView(epoch: 1, scope: .all, privacy: .none)
        let event = Fixture.metricsEvent(0, Self.metrics(Self.home, elapsed: 5))
        let offset = RecordOffset(rawValue: 1)
        let all = try Set(Fixture.object(shown.item(of: event, at: offset) ?? []).keys)
        let left = try Set(Fixture.object(hidden.item(of: event, at: offset) ?? []).keys)
        #expect(
            all.subtracting(left)
                == Set(FieldKey.allCases.filter(\.isHiddenInZones).map(\.name)))
    }

    @Test func `Without a fix a runner with zones counts as inside for a minute`() {
        var generator = SeededGenerator(seed: 3)
        let zone = Track.zone(around: Self.home, radius: 200, &generator)
        var filter = PrivacyFilter(Self.settings([zone]))
        #expect(filter.filter(Self.metrics(nil, elapsed: 59)).speedMetersPerSecond == nil)
        #expect(filter.filter(Self.metrics(nil, elapsed: 61)).speedMetersPerSecond != nil)
        #expect(filter.filter(Self.metrics(Self.home, elapsed: 62)).speedMetersPerSecond == nil)
        #expect(filter.filter(Self.metrics(nil, elapsed: 500)).speedMetersPerSecond == nil)
    }

    @Test func `What becomes of the course inside a zone is nobody's business`() {
        var generator = SeededGenerator(seed: 4)
        let zone = Track.zone(around: Self.home, radius: 200, &generator)
        var fields = SessionFields(
            session: Fixture.session, epoch: 1, privacy: Self.settings([zone]))
        var history = HistoryView(epoch: 1, scope: .all, privacy: Self.settings([zone]))
        let reached = CheckpointReached(
            checkpoint: "church", elapsedSeconds: 1, distanceMeters: 3)
        let kinds: [StreamEvent.Kind] = [
            .alert(Alert(kind: .offCourse, severity: .mild, phase: .triggered)),
            .checkpointReached(reached),
        ]
        let away = Self.home.moved(east: 2000, north: 0)
        for (place, isHidden) in [(Self.home, true), (away, false)] {
            let metrics = Fixture.metricsEvent(0, Self.metrics(place, elapsed: 1))
            _ = fields.take(metrics, at: RecordOffset(rawValue: 1))
            _ = history.item(of: metrics, at: RecordOffset(rawValue: 1))
            for kind in kinds {
                let event = StreamEvent(deviceTime: Fixture.start, kind: kind)
                let update = fields.take(event, at: RecordOffset(rawValue: 2))
                #expect(update.event.isEmpty == isHidden)
                let item = history.item(of: event, at: RecordOffset(rawValue: 2))
                #expect((item == nil) == isHidden)
            }
        }
    }

    @Test(arguments: [0.0, 45, 60, 89, -75])
    func `The plane measures meters at every latitude`(latitude: Double) {
        let plane = LocalPlane(latitude: latitude, longitude: 179.999)
        let moved = plane.moved(eastMeters: 300, northMeters: -400)
        let squared = plane.squaredMeters(toLatitude: moved.latitude, longitude: moved.longitude)
        #expect(abs(squared.squareRoot() - 500) < 0.01)
        #expect(
            abs(LocalPlane.cosine(ofDegrees: latitude) - cos(latitude * .pi / 180)) < 1e-10)
        let around = plane.squaredMeters(toLatitude: latitude, longitude: -179.999)
        let expected = 0.002 * LocalPlane.metersPerDegreeNorth * cos(latitude * .pi / 180)
        #expect(abs(around.squareRoot() - expected) < 0.01)
    }
}
