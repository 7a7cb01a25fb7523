import PrivacyAttacks
import Testing

@Suite struct TownTests {
    private static let town = Town(seed: 3)

    @Test func `The same seed builds the same town`() {
        let again = Town(seed: 3)
        #expect(again.buildings.map(\.spot) == Self.town.buildings.map(\.spot))
        #expect(Town(seed: 4).buildings.count != again.buildings.count)
    }

    @Test func `A square kilometer has several hundred buildings`() {
        for east in stride(from: -4000.0, through: 4000, by: 1000) {
            let count = Self.town.buildings(within: 564, of: Spot(east: east, north: east / 2))
                .count
            #expect((400...1600).contains(count))
        }
    }

    @Test func `Ways along streets are longer than the straight line, by differing amounts`() {
        var search = StreetSearch(Self.town)
        let middle = Self.town.streets[Self.town.streets.count / 2].from
        search.run(in: Self.town, from: [(middle, 0)], reach: 2000)
        let ratios = Self.town.corners.indices.compactMap { corner -> Double? in
            let straight = Self.town.corners[corner].meters(to: Self.town.corners[middle])
            guard search.meters[corner].isFinite, straight > 300 else { return nil }
            return search.meters[corner] / straight
        }
        #expect(ratios.count > 200)
        #expect(ratios.allSatisfy { $0 >= 0.999 })
        #expect(ratios.contains { $0 < 1.1 } && ratios.contains { $0 > 1.4 })
    }

    @Test func `A run begins and ends at the door, at a runner's speed`() throws {
        var runner = Runner(in: Self.town, habit: .roundabout, seed: 8)
        for run in runner.runs(20) {
            let spots = run.samples.compactMap(\.spot)
            let (first, last) = try (#require(spots.first), #require(spots.last))
            #expect(first.meters(to: runner.home.spot) < 120)
            #expect(last.meters(to: runner.home.spot) < 60)
            let end = try #require(run.samples.last)
            #expect((2000...16_000).contains(end.distanceMeters))
            #expect((2.0...4.6).contains(end.distanceMeters / end.movingSeconds))
        }
    }
}
