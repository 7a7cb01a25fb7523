import FaultSimulation
import Testing

/// The simulation itself; `tools/simulate` runs it in release over thousands of seeds.
@Suite struct SimulationTests {
    @Test(arguments: [1...20 as ClosedRange<UInt64>])
    func `A seed's watches, disk, clock and viewers find nothing wrong`(
        seeds: ClosedRange<UInt64>
    ) throws {
        for seed in seeds {
            let world = try World(seed: seed)
            try world.run()
            #expect(world.counts.steps > 0)
        }
    }

    @Test func `A seed does the same each time`() throws {
        func story(_ seed: UInt64) throws -> [String] {
            var story: [String] = []
            let world = try World(seed: seed, trace: { story.append($0) })
            try world.run()
            return story
        }
        let first = try story(7)
        #expect(try story(7) == first)
        #expect(try story(8) != first)
    }
}
