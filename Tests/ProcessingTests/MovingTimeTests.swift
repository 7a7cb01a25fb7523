import SensorModel
import Testing
@testable import Processing

@Suite struct MovingTimeTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: Int64(seconds * 1e6))
    }

    @Test func `Pauses neither overlap nor are lost when there are many`() {
        var time = MovingTime()
        for index in 0..<100 {
            let start = Double(index) * 10
            #expect(time.begin(since: at(start), automatic: true) == at(start))
            #expect(time.end(at: at(start + 4)) != nil)
        }
        #expect(time.pausedSeconds(until: at(1000)) == 400)
        // A start dated back into the previous pause becomes the end of that pause.
        #expect(time.begin(since: at(992), automatic: true) == at(994))
        #expect(time.pausedSeconds(until: at(996)) == 402)
        _ = time.end(at: at(998))
        #expect(time.pausedSeconds(until: at(996)) == 402)
        #expect(time.pausedSeconds(until: at(1000)) == 404)
    }
}
