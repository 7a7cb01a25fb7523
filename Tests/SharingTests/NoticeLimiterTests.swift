import SensorModel
import Sharing
import Testing

@Suite struct NoticeLimiterTests {
    @Test func `A device writes so many lines a minute, says once that more come, and goes on`() {
        var limiter = NoticeLimiter(perDeviceMax: 3)
        let (ann, bea) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2))
        let start = Timestamp(microseconds: 1_000_000_000)
        func admit(_ device: DeviceID, _ seconds: Double) -> NoticeLimiter.Verdict {
            limiter.admit(device, at: start.advanced(bySeconds: seconds))
        }
        #expect((0..<3).map { admit(ann, Double($0)) } == [.write, .write, .write])
        #expect(admit(ann, 3) == .writeThatMoreAreLeftOut)
        #expect((4..<59).allSatisfy { admit(ann, Double($0)) == .leaveOut })
        #expect(admit(bea, 59) == .write)
        #expect(admit(ann, 60.5) == .write)
        #expect(admit(ann, 60.6) == .leaveOut)
    }
}
