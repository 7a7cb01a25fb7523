import SensorModel
import Testing

@testable import Processing

@Suite struct CadenceProcessorTests {
    @Test(arguments: [12.5, 25, 100], [true, false])
    func `Every cadence is found at every rate, with gravity and without`(
        rate: Double, includesGravity: Bool
    ) {
        for cadence in [60.0, 65, 75, 90, 105, 120, 140, 160, 180, 200, 220, 240] {
            let motion = MadeMotion(
                cadence: { _ in cadence }, includesGravity: includesGravity, rate: rate)
            let values = SeenMotion(motion, seconds: 14).values(from: 8)
            #expect(values.count >= 4, "\(cadence) at \(rate) Hz")
            let worst = values.map { abs($0 - cadence) }.max() ?? 0
            #expect(worst < 0.02 * cadence, "\(cadence) at \(rate) Hz")
        }
    }

    @Test(arguments: [70.0, 90, 110, 130])
    func `An arm that swings harder than the steps shake does not halve the cadence`(
        cadence: Double
    ) {
        let step = 0.8 * MadeMotion.usualAmplitude(cadence)
        let motion = MadeMotion(
            cadence: { _ in cadence }, stepAmplitude: step, swingAmplitude: 1.5 * step)
        let seen = SeenMotion(motion, seconds: 30, placement: .wrist)
        for value in seen.values(from: 8) { #expect(abs(value - cadence) < 0.03 * cadence) }
    }

    @Test(arguments: [150.0, 165, 180, 200])
    func `A run whose feet fall unlike is not taken for half its cadence`(cadence: Double) {
        let motion = MadeMotion(cadence: { _ in cadence }, swingAmplitude: 0.5)
        let seen = SeenMotion(motion, seconds: 30, placement: .hip)
        for value in seen.values(from: 6) { #expect(abs(value - cadence) < 0.02 * cadence) }
    }

    @Test(arguments: [60.0, 100, 140, 170, 230])
    func `Jitter and lost samples cost little`(cadence: Double) {
        let motion = MadeMotion(
            cadence: { _ in cadence }, rate: 25, jitter: 0.2, lostShare: 0.1, seed: 3)
        let seen = SeenMotion(motion, seconds: 60)
        for value in seen.values(from: 8) { #expect(abs(value - cadence) < 0.03 * cadence) }
        #expect(abs(Double(seen.processor.steps) - cadence) < 0.04 * cadence + 1)
    }

    @Test(arguments: [60.0, 100, 125, 160, 220])
    func `Two minutes of steps are counted to one percent`(cadence: Double) {
        let seen = SeenMotion(MadeMotion(cadence: { _ in cadence }), seconds: 120)
        // The newest second is not counted yet.
        let missing = 2 * cadence - Double(seen.processor.steps)
        #expect(missing > -0.02 * cadence)
        #expect(missing < 0.02 * cadence + cadence / 60 + 1)
    }

    @Test(arguments: [60.0, 80, 110, 160, 180])
    func `The first value comes within four seconds`(cadence: Double) throws {
        let seen = SeenMotion(MadeMotion(cadence: { _ in cadence }), seconds: 12)
        let first = try #require(seen.metrics.firstIndex { ($0.stepsPerMinute ?? 0) > 0 })
        #expect(first + 1 <= 4)
    }

    @Test(arguments: [(100.0, 120.0), (120, 100), (160, 180), (180, 160)])
    func `A change of twenty steps is followed within three seconds`(
        before: Double, after: Double
    ) throws {
        let motion = MadeMotion(cadence: { $0 < 30 ? before : after })
        let seen = SeenMotion(motion, seconds: 45)
        let value = try #require(seen.metrics[32].stepsPerMinute)
        #expect(abs(value - after) < 5)
        for value in seen.values(from: 36) { #expect(abs(value - after) < 3) }
    }

    @Test func `A walk that becomes a run is followed, and back`() throws {
        let motion = MadeMotion(cadence: { $0 < 30 || $0 >= 60 ? 105 : 165 })
        let seen = SeenMotion(motion, seconds: 90)
        let run = try #require(seen.metrics[33].stepsPerMinute)
        #expect(abs(run - 165) < 6)
        let walk = try #require(seen.metrics[64].stepsPerMinute)
        #expect(abs(walk - 105) < 6)
        #expect(seen.activities[50].kind == .running)
        #expect(seen.activities[85].kind == .walking)
    }

    @Test func `Standing shows zero soon, and stops the count`() throws {
        let motion = MadeMotion(cadence: { $0 < 40 ? 160 : 0 })
        let seen = SeenMotion(motion, seconds: 60)
        #expect(seen.metrics[42].stepsPerMinute == 0)
        let activity = seen.activities[42]
        #expect(activity.kind == .still)
        let since = try #require(activity.since).seconds(since: MadeMotion.start)
        #expect(abs(since - 40) < 0.7)
        #expect(abs(Double(seen.processor.steps) - 160.0 * 40 / 60) <= 3)
        #expect(seen.steps[44] == seen.processor.steps)
    }

    @Test func `The activity begins when the steps did`() throws {
        let motion = MadeMotion(cadence: { $0 < 10 ? 0 : 110 })
        let seen = SeenMotion(motion, seconds: 25)
        let activity = seen.activities[20]
        #expect(activity.kind == .walking)
        let since = try #require(activity.since).seconds(since: MadeMotion.start)
        #expect(abs(since - 10) < 1)
    }

    @Test func `Confidence is high in a steady run and the interval holds the truth`() throws {
        let seen = SeenMotion(MadeMotion(cadence: { _ in 172 }, swingAmplitude: 0.3), seconds: 40)
        for metric in seen.metrics.dropFirst(10) {
            let value = try #require(metric.stepsPerMinute)
            let uncertainty = try #require(metric.uncertainty)
            #expect(metric.confidence > 0.9)
            #expect(abs(value - 172) <= uncertainty)
            #expect(uncertainty < 8)
        }
    }
}
