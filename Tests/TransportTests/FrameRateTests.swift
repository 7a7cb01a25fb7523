import SensorModel
import Testing

@testable import Transport

@Suite struct FrameRateTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    @Test func `Live frames above the rate are told, a backlog never`() {
        let rate = FrameRate()
        for index in 0..<20 {
            let arrival = Self.start.advanced(bySeconds: Double(index) / 100)
            #expect(rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 2))
        }
        let late = Self.start.advanced(bySeconds: 1)
        #expect(!rate.allows(deviceTime: late, arrival: late, perSecondMax: 2))
        let old = late.advanced(bySeconds: -11)
        for _ in 0..<1000 { #expect(rate.allows(deviceTime: old, arrival: late, perSecondMax: 2)) }
    }

    @Test func `The window begins anew after ten seconds, and when the clock is set back`() {
        let rate = FrameRate()
        for seconds in [0.0, 10, 20, -100] {
            let arrival = Self.start.advanced(bySeconds: seconds)
            for _ in 0..<10 {
                #expect(rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 1))
            }
            #expect(!rate.allows(deviceTime: arrival, arrival: arrival, perSecondMax: 1))
        }
    }

    @Test func `What a device measured while it was away does not count as what comes now`() {
        // 15 a second where 20 are allowed, away for 9 s, then back: 10 s of arrival see 19 s.
        let rate = FrameRate()
        let back = Self.start.advanced(bySeconds: 9)
        for index in 0..<285 {
            let measured = Self.start.advanced(bySeconds: Double(index) / 15)
            let arrival = max(measured, back)
            #expect(rate.allows(deviceTime: measured, arrival: arrival, perSecondMax: 20))
        }
    }

    @Test func `A backlog of a device whose clock is ahead may come at once, a flood may not`() {
        let rate = FrameRate()
        func isAllowed(_ seconds: Double) -> Bool {
            let ahead = Self.start.advanced(bySeconds: 3600 + seconds)
            return rate.allows(deviceTime: ahead, arrival: Self.start, perSecondMax: 60)
        }
        #expect((0..<90_000).allSatisfy { isAllowed(Double($0) / 50) })
        // 61 a second of its own time, for longer than the window.
        #expect(!(0..<1220).allSatisfy { isAllowed(7200 + Double($0) / 61) })
    }
}
