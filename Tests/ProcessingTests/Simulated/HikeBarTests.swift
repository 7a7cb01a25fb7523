import SensorModel
import Simulator
import Testing

/// Accuracy required on slow hikes with stops, with positions of a watch only.
@Suite struct HikeBarTests {
    private static let hikes = Result {
        try (31...36).map { seed in
            try SimulatedSession(
                seed: seed, plan: .hike(minutes: 40, seed: seed), settings: settings)
        }
    }

    private static var settings: RunnerSettings {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.sendsHeartRate = false
        settings.sendsStatus = false
        settings.sendsPressure = false
        settings.receiver = .watch
        // A watch's filter removes the fast half of the error.
        settings.positionError = 2
        settings.positionErrorCorrelation = 0.995
        settings.hillMeters = 60
        return settings
    }

    @Test func `Distance of a slow hike is three percent off`() throws {
        for hike in try Self.hikes.get() { #expect(abs(hike.distanceError) <= 5) }
        #expect(try Self.hikes.get().map(\.distanceError).meanMagnitude <= 3)
    }

    @Test func `Stops of half a minute are found, and moving time is a tenth off`() throws {
        for hike in try Self.hikes.get() {
            let error = hike.final.movingSeconds - hike.trueMovingSeconds
            #expect(abs(error) <= 0.1 * hike.trueMovingSeconds)
            let stops = hike.stops.filter { ($0.end ?? $0.start).seconds(since: $0.start) >= 30 }
            let missed = stops.filter { stop in
                !hike.rows.contains { row in
                    let time = row.truth.deviceTime
                    return row.metrics.autoPaused && time > stop.start
                        && time < stop.end ?? time
                }
            }
            #expect(missed.isEmpty)
        }
    }

    @Test func `Climb by a watch's height is five percent off`() throws {
        let hikes = try Self.hikes.get()
        let gained = hikes.reduce(0) { $0 + ($1.final.elevationGainMeters ?? 0) }
        let climbed = hikes.reduce(0) { $0 + $1.truth.climbMeters }
        #expect(abs(gained - climbed) <= 0.05 * climbed)
    }
}
