import SensorModel
import Testing

@testable import Sharing

struct ShownSplitsTests {
    @Test func `Splits are those of the way that is shown`() throws {
        let shown = SessionProjectionTests.project(
            SessionProjectionTests.run(2000), .hiding(SessionProjectionTests.zoned()))
        let splits = shown.compactMap { shown -> (Timestamp, Split)? in
            if case .split(let split) = shown.event.kind {
                (shown.event.deviceTime, split)
            } else {
                nil
            }
        }
        let first = try #require(shown.first)
        let kilometers = splits.filter { $0.1.unit == .kilometer }
        #expect(kilometers.map(\.1.number) == Array(1...kilometers.count))
        for (time, split) in kilometers {
            #expect(abs(split.seconds - 1000 / 3) < 1e-6)
            let mark = first.event.deviceTime.advanced(
                bySeconds: Double(split.number) * 1000 / 3)
            #expect(abs(time.seconds(since: mark)) < 2)
            #expect(split.elevationMeters.map { abs($0 - 0.05 * 1000 / 3) < 1 } ?? false)
        }
        #expect(splits.contains { $0.1.unit == .mile })
    }

    /// A missing second would reveal a split, and so the pace, to viewers of the heart rate alone.
    @Test func `Who sees no splits misses no second for them`() throws {
        let settings = SessionProjectionTests.settings([
            Track.zone(
                around: SessionProjectionTests.home.moved(east: -9000, north: 0), radius: 200)
        ])
        let shown = SessionProjectionTests.project(
            SessionProjectionTests.run(2000), .hiding(settings))
        let splits = shown.count { if case .split = $0.event.kind { true } else { false } }
        #expect(splits >= 8)
        let seen = shown.map { $0.seen(in: [.heartRate, .location]) }
        #expect(seen.allSatisfy { if case .metrics = $0.kind { true } else { false } })
        #expect(shown.map { $0.seen(in: .all) } == shown.map(\.event))
        var views = SessionViews(
            session: Fixture.session, epoch: 1, privacy: settings)
        views.note(.beginning)
        var (hearts, elapsed) = ([LogCursor](), [[UInt8]]())
        for (index, event) in SessionProjectionTests.run(2000).enumerated() {
            let offset = RecordOffset(rawValue: UInt64(10 * index + 10))
            for dated in views.take(event, at: offset, arrival: event.deviceTime).hiding ?? [] {
                let plain = dated.seen(in: [.heartRate]).update
                #expect(plain.event.isEmpty)
                hearts.append(plain.cursor)
                // Viewers with splits also get each value, with the next second.
                let full = dated.seen(in: .all).update
                #expect(full.event.isEmpty || full.changed.isEmpty)
                elapsed += full.changed.filter { $0.key == .elapsedSeconds }.map(\.bytes)
            }
        }
        #expect(hearts.count == shown.count)
        #expect(elapsed.count == shown.count - splits)
    }

    @Test func `A leap completes its newest splits alone, from where they begin`() {
        var splits = ShownSplits()
        func completed(_ meters: Double, _ seconds: Double) -> [Split] {
            var metrics = Metrics()
            metrics.distanceMeters = meters
            metrics.movingSeconds = seconds
            return splits.update(metrics).filter { $0.unit == .kilometer }
        }
        #expect(completed(500, 100).isEmpty)
        let leap = completed(2_000_500, 2100)
        #expect(leap.map(\.number) == Array((2001 - Split.atOnceMax)...2000))
        #expect(leap.allSatisfy { abs($0.seconds - 1) < 1e-6 })
        #expect(completed(2_001_000, 2400).map(\.number) == [2001])
    }
}
