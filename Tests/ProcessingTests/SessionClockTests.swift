import SensorModel
import Testing
@testable import Processing

@Suite struct SessionClockTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    @Test func `A sensor that lags belongs to the past and moves nothing`() {
        var clock = SessionClock()
        _ = clock.arrive(at(0), late: false)
        _ = clock.arrive(at(10), late: false)
        #expect(clock.arrive(at(4), late: false) == .behind(at(4)))
        #expect(clock.now == at(10))
    }

    @Test func `An hour's hole is believed with the second sample`() {
        var clock = SessionClock()
        _ = clock.arrive(at(0), late: false)
        #expect(clock.arrive(at(4000), late: false) == .doubted)
        #expect(clock.arrive(at(4001), late: false) == .current(at(4001)))
    }

    @Test func `A clock set back goes on from the last sample`() {
        var clock = SessionClock()
        _ = clock.arrive(at(0), late: false)
        var arrivals: [SessionClock.Arrival] = []
        for second in 0..<20 {
            arrivals.append(clock.arrive(at(-5000 + Double(second)), late: false))
        }
        let next = at(0).advanced(byMicroseconds: 1)
        #expect(arrivals.last == .current(next))
        #expect(clock.deviceTime(next) == at(-4981))
        #expect(clock.arrive(at(-4980), late: false) == .current(next.advanced(bySeconds: 1)))
    }
}
