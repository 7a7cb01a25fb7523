import SensorModel
import Testing

@testable import Runtime

@Suite struct PaceTests {
    private static let start: Int64 = 1_763_700_000_000_000

    /// - Returns: Whether frames are gathered at the end of a second with one record every `gap`.
    private static func gathers(every gap: Int, from start: Int64 = start) -> Bool {
        var pace = FramePace()
        var isGathering = false
        for time in stride(from: start, to: start + 1_000_000, by: gap) {
            isGathering = pace.took(1, at: Timestamp(microseconds: time))
        }
        return isGathering
    }

    @Test(arguments: [
        (100, true), (240, true), (300, false), (1000, false), (20_000, false),
    ]) func `Records gather from 4000 a second on`(gap: Int, expected: Bool) {
        #expect(Self.gathers(every: gap) == expected)
    }

    @Test func `Records gather no longer once fewer come`() {
        var pace = FramePace()
        var now = Self.start
        for _ in 0..<100 {
            now += 1000
            _ = pace.took(10, at: Timestamp(microseconds: now))
        }
        let fast = pace.took(10, at: Timestamp(microseconds: now + 1))
        let slow = pace.took(0, at: Timestamp(microseconds: now + 10_000))
        #expect((fast, slow) == (true, false))
    }

    @Test func `A clock that is set back stops nothing from gathering`() {
        var pace = FramePace()
        _ = pace.took(1, at: Timestamp(microseconds: Self.start))
        var now = Self.start - 3_600_000_000
        var isGathering = false
        for _ in 0..<100 {
            isGathering = pace.took(1, at: Timestamp(microseconds: now))
            now += 100
        }
        #expect(isGathering)
    }

    @Test(arguments: [(0, 0), (1, 2000), (20, 40_000), (25, 50_000), (9000, 50_000)])
    func `The more acks a round had, the later is the next`(acks: Int, microseconds: Int64) {
        var pace = AckPace()
        let now = Timestamp(microseconds: Self.start)
        #expect(pace.nextRound(after: now) <= now)
        pace.sent(acks, at: now)
        #expect(pace.nextRound(after: now).microseconds - now.microseconds == microseconds)
    }

    @Test func `A clock that is set back holds no ack`() {
        var pace = AckPace()
        pace.sent(200, at: Timestamp(microseconds: Self.start))
        let now = Timestamp(microseconds: Self.start - 3_600_000_000)
        #expect(pace.nextRound(after: now) <= now)
    }
}
