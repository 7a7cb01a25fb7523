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
}
