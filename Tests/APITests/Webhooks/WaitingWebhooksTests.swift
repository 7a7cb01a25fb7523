import SensorModel
import Testing

@testable import API

@Suite struct WaitingWebhooksTests {
    private static func event(_ number: Int, of device: String) -> WebhookEvent {
        WebhookEvent(
            event: "alert", device: device, session: SessionID(high: 1, low: UInt64(number)),
            time: Timestamp(microseconds: Int64(number)))
    }

    @Test func `One device's flood drops its own, and another's alert is next`() {
        let waiting = WaitingWebhooks()
        let (ann, bea) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2))
        let now = ContinuousClock.now
        var complaints: [Int] = []
        for number in 0..<30_000 {
            if let count = waiting.append(Self.event(number, of: "ann"), of: ann, at: now) {
                complaints.append(count)
            }
        }
        #expect(complaints == [1])
        #expect(waiting.append(Self.event(1, of: "bea"), of: bea, at: now) == nil)
        #expect(
            waiting.append(Self.event(0, of: "ann"), of: ann, at: now + .seconds(60)) == 29_900)
        let devices = (0..<2).compactMap { _ in waiting.next()?.device }
        #expect(Set(devices) == ["ann", "bea"])
        var times: [Double] = []
        while let event = waiting.next() { times.append(event.time) }
        #expect(times.count == WaitingWebhooks.countOfDeviceMax - 1)
        #expect(times == times.sorted())
    }

    @Test func `Devices that fill it together keep no other out`() {
        let waiting = WaitingWebhooks()
        for device in 1...10 {
            for number in 0..<WaitingWebhooks.countOfDeviceMax {
                _ = waiting.append(
                    Self.event(number, of: "\(device)"), of: DeviceID(rawValue: UInt32(device)),
                    at: .now)
            }
        }
        _ = waiting.append(Self.event(0, of: "last"), of: DeviceID(rawValue: 99), at: .now)
        var devices: [String] = []
        while let event = waiting.next() { devices.append(event.device ?? "") }
        #expect(devices.count == WaitingWebhooks.countMax)
        #expect(devices.prefix(11).contains("last"))
    }
}
