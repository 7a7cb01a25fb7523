import Processing
import SensorModel
import Testing

@Suite struct HeartRateDriftTests {
    private static func run(_ day: Int, pace: Double = 300, beats: Double) -> HeartRateDrift.Run {
        HeartRateDrift.Run(
            start: Timestamp(microseconds: 1_763_700_000_000_000 + Int64(day) * 86_400_000_000),
            secondsPerKm: pace, beatsPerMinute: beats)
    }

    private static func drift(_ runs: [HeartRateDrift.Run], day: Int = 9) -> HeartRateDrift? {
        HeartRateDrift(runs, at: run(day, beats: 0).start)
    }

    private static let before = (0..<4).map { run($0, pace: 290 + 5 * Double($0), beats: 150) }

    @Test(arguments: [(161.9, false), (162.1, true), (150, false), (140, false)])
    func `More than 8 percent above four runs at the same pace is a warning`(
        beats: Double, isWarned: Bool
    ) throws {
        let drift = try #require(Self.drift(Self.before + [Self.run(9, beats: beats)]))
        #expect(abs(drift.percent - (beats / 150 - 1) * 100) < 1e-9)
        #expect(drift.runs == 5)
        #expect(drift.isWarned == isWarned)
    }

    @Test func `The newest run is compared, wherever it stands`() throws {
        let drift = try #require(Self.drift([Self.run(9, beats: 165)] + Self.before))
        #expect(drift.isWarned)
    }

    @Test func `A warning ends when its run is six weeks old`() {
        let runs = Self.before + [Self.run(9, beats: 170)]
        #expect(Self.drift(runs, day: 42)?.isWarned == true)
        #expect(Self.drift(runs, day: 60) == nil)
    }

    @Test func `Runs at another pace, older ones and too few say nothing`() {
        let newest = Self.run(60, beats: 180)
        #expect(Self.drift([]) == nil)
        #expect(Self.drift(Array(Self.before.dropLast()) + [Self.run(9, beats: 180)]) == nil)
        #expect(Self.drift(Self.before + [newest], day: 60) == nil)
        let slower = (50..<55).map { Self.run($0, pace: 331, beats: 120) }
        #expect(Self.drift(slower + [newest], day: 60) == nil)
    }
}
