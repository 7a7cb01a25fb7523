import SensorModel
import Testing

@testable import Replay

@Suite struct RunSharesTests {
    private static func row(
        _ t: Double, _ meters: Double?, grade: Double? = nil, speed: Double? = nil,
        isPaused: Bool = false
    ) -> RecordingAnalysis.Row {
        var metrics = Metrics()
        metrics.distanceMeters = meters
        metrics.gradePercent = grade
        metrics.speedMetersPerSecond = speed
        metrics.autoPaused = isPaused
        return RecordingAnalysis.Row(t: t, metrics: metrics)
    }

    @Test(arguments: [
        (-15.1, RunShares.Slope.steepDown), (-15, .moderateDown), (-5.1, .moderateDown),
        (-5, .flat), (4.9, .flat), (5, .moderateUp), (14.9, .moderateUp), (15, .steepUp),
    ]) func `A slope has the reference's name`(percent: Double, slope: RunShares.Slope) {
        #expect(RunShares.Slope(percent: percent) == slope)
    }

    @Test func `Meters count by slope and seconds by pace, without pauses and holes`() {
        let shares = RunShares([
            Self.row(0, 0, grade: 6, speed: 4),
            Self.row(1, 4, grade: 6, speed: 4),
            Self.row(2, 8, grade: 0, speed: 4),
            Self.row(3, 11, grade: nil, speed: 3),
            // Standing, a hole of 11 s, a pause, and speeds that are none of a runner.
            Self.row(4, 11, grade: 0, speed: 0),
            Self.row(15, 51, grade: 20, speed: 4),
            Self.row(16, 52, grade: nil, speed: 4, isPaused: true),
            Self.row(17, 62, grade: nil, speed: 9),
            Self.row(18, 63, grade: nil, speed: 1),
        ])
        #expect(shares.meters == [.moderateUp: 4, .flat: 4])
        #expect(shares.paceTimes == [.init(from: 240, seconds: 2), .init(from: 330, seconds: 1)])
    }
}
