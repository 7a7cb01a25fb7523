import SensorModel
import Testing

@testable import Sharing

struct HiddenPredictionTests {
    private static let trimmed: PrivacySettings = {
        var settings = PrivacySettings.none
        settings.trimStartMeters = 300
        return settings
    }()

    /// With the speed, a predicted time reveals the remaining distance along the course, even to
    /// the door.
    @Test(arguments: [PrivacySettings.none, SessionProjectionTests.zoned(), trimmed])
    func `Times at checkpoints are told only where nothing is hidden`(settings: PrivacySettings) {
        let rule: ProjectionRule = settings == .none ? .everything : .hiding(settings)
        let events = SessionProjectionTests.project(SessionProjectionTests.run(600), rule)
        let shown = SessionProjectionTests.metrics(in: events).compactMap(\.course)
        #expect(shown.contains { $0.checkpoint == "Bridge" })
        let times = shown.flatMap(\.ahead).compactMap(\.predictedSeconds)
        #expect(times.isEmpty == (settings != .none))
    }
}
