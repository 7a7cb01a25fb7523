import SensorModel
import Testing

@testable import Processing

/// Zones 1 to 5 end at 114, 133, 152 and 171 beats/min.
@Suite struct HeldZoneTests {
    private static let bounds = ZoneBounds(profile: RunnerProfile())
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    /// Changes over heart rates, one a second.
    private static func changes(_ beats: [Double]) -> [(second: Int, to: Int)] {
        var zone = HeldZone()
        return beats.enumerated().compactMap { second, beatsPerMinute in
            zone.update(
                beatsPerMinute, bounds: bounds, at: start.advanced(bySeconds: Double(second))
            ).map { (second, $0.to) }
        }
    }

    private static func seconds(_ count: Int, at beats: Double) -> [Double] {
        Array(repeating: beats, count: count)
    }

    @Test func `The first zone is held at once`() {
        #expect(Self.changes([140]).map(\.to) == [3])
    }

    @Test(arguments: [
        (154.0, 5), (160, 5), (185, 5), (153.9, 30), (152, 30), (130.9, 5), (131, 30),
    ])
    func `A zone changes after 5 s beyond its bound by 2 beats, or after 30 s by less`(
        beats: Double, seconds: Int
    ) {
        let found = Self.changes(Self.seconds(10, at: 140) + Self.seconds(60, at: beats))
        #expect(found.map(\.second) == [0, 10 + seconds])
        #expect(found.last?.to == Self.bounds.zone(beats))
    }

    @Test func `A heart rate around a bound changes nothing`() {
        let around = (0..<600).map { (second: Int) -> Double in
            second % 20 < 10 ? 151 : [156, 154, 152][second % 3]
        }
        let found = Self.changes(around)
        #expect(found.count == 1)
        let rarely = Self.changes(
            (0..<600).map { (second: Int) -> Double in
                second % 29 == 0 ? 151 : 152.5
            })
        #expect(rarely.count == 1)
    }

    @Test func `A zone that the new bounds lack is left at once`() {
        var zone = HeldZone()
        #expect(zone.update(180, bounds: Self.bounds, at: Self.start)?.to == 5)
        var profile = RunnerProfile()
        profile.zones = .seiler
        let seiler = ZoneBounds(profile: profile)
        let change = zone.update(180, bounds: seiler, at: Self.start.advanced(bySeconds: 1))
        #expect(change?.from == 5 && change?.to == 3)
    }
}
