import Processing
import SensorModel
import Testing

@Suite struct HeartRateDriftTests {
    private static func run(_ day: Int, pace: Double = 300, beats: Double) -> HeartRateDrift.Run {
        HeartRateDrift.Run(
            start: Timestamp(microseconds: 1_763_700_000_000_000 + Int64(day) * 86_400_000_000),
            secondsPerKm: pace, beatsPerMinute: beats)
    }

    private static let before = (0..<4).map { run($0, pace: 290 + 5 * Double($0), beats: 150) }

    @Test(arguments: [(161.9, false), (162.1, true), (150, false), (140, false)])
    func `More than 8 percent above four runs at the same pace is a warning`(
        beats: Double, isWarned: Bool
    ) throws {
        let drift = try #require(HeartRateDrift(Self.before + [Self.run(9, beats: beats)]))
        #expect(abs(drift.percent - (beats / 150 - 1) * 100) < 1e-9)
        #expect(drift.runs == 5)
        #expect(drift.isWarned == isWarned)
    }

    @Test func `The newest run is compared, wherever it stands`() throws {
        let drift = try #require(HeartRateDrift([Self.run(9, beats: 165)] + Self.before))
        #expect(drift.isWarned)
    }

    @Test func `Runs at another pace, older ones and too few say nothing`() {
        let newest = Self.run(60, beats: 180)
        #expect(HeartRateDrift([]) == nil)
        #expect(HeartRateDrift(Array(Self.before.dropLast()) + [Self.run(9, beats: 180)]) == nil)
        #expect(HeartRateDrift(Self.before + [newest]) == nil)
        let slower = (50..<55).map { Self.run($0, pace: 331, beats: 120) }
        #expect(HeartRateDrift(slower + [newest]) == nil)
    }
}
