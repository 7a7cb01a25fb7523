import SensorModel
import Testing

@testable import PushFormats

@Suite struct PushMemoryTests {
    private func frame(_ second: Double, _ rate: Double = 100) throws -> Frame {
        Frame(
            sequence: .none, deviceTime: PushTests.start.advanced(bySeconds: second),
            payload: .heartRate(try HeartRateSample(beatsPerMinute: rate)))
    }

    @Test func `What is sent again is not new, what only looks alike is`() throws {
        var memory = PushMemory()
        let batch = try (0..<10).map { try frame(Double($0)) }
        #expect(memory.fresh(batch) == batch)
        #expect(memory.fresh(batch).isEmpty)
        let other = [try frame(3), try frame(3, 101), try frame(10)]
        #expect(memory.fresh(other) == Array(other.dropFirst()))
    }

    @Test func `The oldest is forgotten first`() throws {
        var memory = PushMemory()
        for second in 0...PushMemory.framesMax {
            #expect(memory.fresh([try frame(Double(second))]).count == 1)
        }
        #expect(memory.fresh([try frame(0)]).count == 1)
        #expect(memory.fresh([try frame(Double(PushMemory.framesMax))]).isEmpty)
    }
}
