import Foundation
import SensorModel
import Testing

@testable import Sharing

/// How long sessions and many events are thinned. That nothing else is shown than in the history is
/// tested in RuntimeTests.
@Suite struct SessionOverviewTests {
    private static func metrics(_ second: Int) -> StreamEvent {
        var metrics = Metrics()
        metrics.state = .live
        metrics.distanceMeters = Double(second)
        return StreamEvent(
            deviceTime: Fixture.time(Double(second)), kind: .metrics(metrics))
    }

    private static func overview(
        seconds: some Sequence<Int>, scope: Scope = .all
    ) -> SessionOverview {
        var overview = SessionOverview(epoch: 1, scope: scope)
        for second in seconds {
            overview.take(metrics(second), at: RecordOffset(rawValue: UInt64(second + 1)))
        }
        return overview
    }

    private static func object(_ overview: SessionOverview, points: Int) throws -> [String: Any] {
        let json = overview.json(points: points, runner: nil)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    @Test(arguments: [600, 10_800, 86_400, 400_000])
    func `However long a session is, its overview stays small and has its beginning and its end`(
        seconds: Int
    ) throws {
        let overview = Self.overview(seconds: 0..<seconds)
        #expect(overview.count <= SessionOverview.pointsMax)
        #expect(overview.count > min(seconds - 1, SessionOverview.pointsMax / 2 - 2))
        #expect(overview.bytes < 64 << 10)
        for points in [1, 2, 7, 256, 1024] {
            let object = try Self.object(overview, points: points)
            let columns = try #require(object["points"] as? [String: [Any]])
            let meters = try #require(columns["distanceMeters"] as? [Double])
            let step = try #require(object["stepSeconds"] as? Double)
            #expect(meters.count <= points && meters.last == Double(seconds - 1))
            #expect(try #require(meters.first) < step)
            #expect(zip(meters, meters.dropFirst()).allSatisfy { $1 - $0 <= step })
            // No more is left out than the number asks for.
            #expect(points < 8 || meters.count > min(seconds, points) / 3)
        }
    }

    @Test func `Points that lie far apart are thinned too`() throws {
        let overview = Self.overview(seconds: (0..<3000).map { $0 * $0 / 4 })
        #expect(overview.count <= SessionOverview.pointsMax)
        let object = try Self.object(overview, points: 100)
        let columns = try #require(object["points"] as? [String: [Any]])
        #expect((2...100).contains(try #require(columns["seconds"]).count))
    }

    @Test func `A device whose clock is set back adds nothing before its newest point`() {
        let overview = Self.overview(seconds: [10, 11, 5, 6, 12])
        #expect(overview.times == [10, 11, 12].map { Fixture.time($0) })
    }

    @Test func `A clock that was ahead and is set back for good takes no more than ten items`() {
        let ahead = Array(3600..<3605)
        let overview = Self.overview(seconds: ahead + Array(0..<600))
        #expect(overview.times == (9..<600).map { Fixture.time(Double($0)) })
        // One item of long ago is no clock that was set.
        let stray = Self.overview(seconds: Array(3600..<3700) + [0] + Array(3700..<3800))
        #expect(stray.count == 200)
    }

    @Test func `Of too many events changes of a zone are left out first, then the oldest`() throws {
        var overview = SessionOverview(epoch: 1, scope: .all)
        var offset: UInt64 = 0
        func take(_ kind: StreamEvent.Kind) {
            offset += 1
            overview.take(
                StreamEvent(deviceTime: Fixture.time(Double(offset)), kind: kind),
                at: RecordOffset(rawValue: offset))
        }
        for number in 0..<300 { take(.marker("m\(number).")) }
        for _ in 0..<5000 { take(.zoneChanged(from: 1, to: 2)) }
        var text = String(decoding: overview.json(points: 1, runner: nil), as: UTF8.self)
        #expect(overview.omittedEvents == 0 && text.contains("m0.") && text.contains("zoneChanged"))
        for number in 300..<200_000 { take(.marker("m\(number).")) }
        text = String(decoding: overview.json(points: 1, runner: nil), as: UTF8.self)
        let kept = overview.eventItems.count
        #expect((300...SessionOverview.eventsMax).contains(kept))
        #expect(overview.omittedEvents == 200_000 - kept)
        #expect(text.contains("m199999.") && !text.contains("m0.") && !text.contains("zoneChanged"))
        #expect(overview.bytes < 384 << 10)
        for _ in 0..<100 { take(.marker(String(repeating: "é", count: 60) + "\(offset)")) }
        #expect(overview.eventItems.reduce(0) { $0 + $1.count } <= SessionOverview.eventBytesMax)
    }

    @Test func `A runner's name is written as JSON, and an empty session has no cursor`() throws {
        let overview = SessionOverview(epoch: 1, scope: .heartRate)
        let json = overview.json(points: 9, runner: "A \"B\" & C")
        let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        #expect(object?["runner"] as? String == "A \"B\" & C")
        #expect(object?["cursor"] is NSNull && object?["start"] == nil)
        let columns = try #require(object?["points"] as? [String: [Any]])
        #expect(Set(columns.keys) == ["seconds", "bpm", "zone", "paused"])
    }
}
