import SensorModel
import Testing

@testable import Sharing

@Suite struct SentPredictionsTests {
    /// A race whose viewers have its first predictions.
    private struct Race {
        var fields = SessionFields(session: Fixture.session, epoch: 1)
        var metrics = Metrics()
        private var second = 0.0

        init() {
            // 500 s are left to the first checkpoint, 1,000 s to the second, 2,000 s to the finish.
            metrics.elapsedSeconds = 1500
            metrics.course = CourseProgress(
                checkpoint: "Bridge", predictedSeconds: 2000, offCourse: false,
                later: [CheckpointAhead(checkpoint: "Tower", predictedSeconds: 2500)])
            metrics.finishEstimate = FinishEstimate(
                bestSeconds: 3400, expectedSeconds: 3500, worstSeconds: 3600)
            _ = changed()
        }

        /// The fields that the metrics change now, as viewers get them.
        mutating func changed() -> [FieldKey: String] {
            second += 1
            let fragments = fields.take(
                Fixture.metricsEvent(second, metrics), at: RecordOffset(rawValue: UInt64(second))
            ).changed
            return Dictionary(
                uniqueKeysWithValues: fragments.map { ($0.key, Fixture.text($0.bytes)) })
        }
    }

    @Test func `A prediction is sent again once it is off by a fiftieth of the time left`() {
        var race = Race()
        for moved in [2010.0, 1991, 2000] {
            race.metrics.course?.predictedSeconds = moved
            #expect(race.changed().isEmpty)
        }
        race.metrics.course?.predictedSeconds = 2011
        #expect(
            race.changed() == [
                .course:
                    #""course":{"checkpoint":"Bridge","predictedSeconds":2011,"offCourse":false,"#
                    + #""ahead":[{"checkpoint":"Bridge","predictedSeconds":2011},"#
                    + #"{"checkpoint":"Tower","predictedSeconds":2500}]}"#
            ])
    }

    @Test func `A later checkpoint may be off by more, as it is further away`() {
        var race = Race()
        race.metrics.course?.later[0].predictedSeconds = 2519
        #expect(race.changed().isEmpty)
        race.metrics.course?.later[0].predictedSeconds = 2521
        #expect(race.changed().keys.sorted { $0.rawValue < $1.rawValue } == [.course])
    }

    @Test func `A slow drift is sent, because changes count from the last one sent`() {
        var race = Race()
        var sendings = 0
        for step in 1...100 {
            race.metrics.finishEstimate = FinishEstimate(
                bestSeconds: 3400 + Double(step), expectedSeconds: 3500 + Double(step),
                worstSeconds: 3600 + Double(step))
            if race.changed()[.finishEstimate] != nil { sendings += 1 }
        }
        // The best time has 1,900 to 2,000 s left: it is sent again after 39 or 40 s.
        #expect(sendings == 2)
    }

    @Test func `A snapshot has what was sent`() {
        var race = Race()
        race.metrics.course?.predictedSeconds = 2009
        _ = race.changed()
        let course = race.fields.everything.changed.first { $0.key == .course }
        #expect(course.map { Fixture.text($0.bytes).contains(#""predictedSeconds":2000"#) } == true)
    }

    static let changes: [@Sendable (inout Metrics) -> Void] = [
        { $0.course?.checkpoint = "Gate" }, { $0.course?.offCourse = true },
        { $0.course?.later = [] }, { $0.course?.predictedSeconds = nil },
        { $0.course?.later[0].predictedSeconds = nil }, { $0.course = nil },
        { $0.finishEstimate = nil },
    ]

    @Test(arguments: changes.indices)
    func `Any other change is sent at once`(index: Int) {
        var race = Race()
        let before = race.metrics
        Self.changes[index](&race.metrics)
        #expect(race.changed().count == 1)
        race.metrics = before
        #expect(race.changed().count == 1, "and back")
    }

    @Test func `Both are forgotten when neither is known`() {
        var race = Race()
        let before = race.metrics
        (race.metrics.course, race.metrics.finishEstimate) = (nil, nil)
        let changed = race.changed()
        #expect(changed[.course] == #""course":null"# && changed.count == 2)
        #expect(changed[.finishEstimate] == #""finishEstimate":null"#)
        race.metrics = before
        race.metrics.course?.predictedSeconds = 2001
        #expect(race.changed()[.course]?.contains("2001") == true)
    }

    @Test func `The time at the finish is exact`() {
        var race = Race()
        race.metrics.elapsedSeconds = 3500
        race.metrics.finishEstimate = FinishEstimate(
            bestSeconds: 3500, expectedSeconds: 3500, worstSeconds: 3500)
        _ = race.changed()
        race.metrics.elapsedSeconds = 3501
        race.metrics.finishEstimate = FinishEstimate(
            bestSeconds: 3499.4, expectedSeconds: 3499.4, worstSeconds: 3499.4)
        #expect(race.changed()[.finishEstimate]?.contains(#""expectedSeconds":3499"#) == true)
    }
}
