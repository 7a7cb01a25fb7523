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

    /// The finish counts the climb of the course ahead, which may be that of a hidden place. The
    /// zone is far away, so all of the run is shown.
    @Test(arguments: [false, true], [false, true])
    func `The finish on a course is told only where nothing is hidden`(
        isOnCourse: Bool, isHiding: Bool
    ) {
        let far = Track.zone(
            around: SessionProjectionTests.home.moved(east: 50_000, north: 0), radius: 200)
        let rule: ProjectionRule =
            isHiding ? .hiding(SessionProjectionTests.settings([far])) : .everything
        let events = SessionProjectionTests.run(600).map { event -> StreamEvent in
            guard !isOnCourse, case .metrics(var metrics) = event.kind else { return event }
            metrics.course = nil
            return StreamEvent(deviceTime: event.deviceTime, kind: .metrics(metrics))
        }
        let shown = SessionProjectionTests.metrics(
            in: SessionProjectionTests.project(events, rule))
        #expect(shown.count > 500)
        let told = shown.compactMap(\.finishEstimate)
        #expect(told.isEmpty == (isOnCourse && isHiding))
    }
}
