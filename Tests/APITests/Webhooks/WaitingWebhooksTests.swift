import SensorModel
import Testing

@testable import API

@Suite struct WaitingWebhooksTests {
    private static func event(_ number: Int, of device: String) -> WebhookEvent {
        WebhookEvent(
            event: "alert", device: device, session: SessionID(high: 1, low: UInt64(number)),
            time: Timestamp(microseconds: Int64(number)))
    }

    private static func take(from waiting: WaitingWebhooks) -> WaitingWebhooks.Delivery? {
        guard let next = waiting.next() else { return nil }
        waiting.ended(next)
        return next
    }

    @Test func `A receiver that hangs with some devices' events gets those of others`() {
        let waiting = WaitingWebhooks()
        for device in 1...6 {
            for number in 0..<2 {
                _ = waiting.append(
                    Self.event(number, of: "\(device)"), of: DeviceID(rawValue: UInt32(device)),
                    at: .now)
            }
        }
        var tried = (0..<9).compactMap { _ in waiting.next() }
        #expect(Set(tried.compactMap(\.event.device)).count == WaitingWebhooks.triesMax)
        #expect(tried.count == WaitingWebhooks.triesMax)
        // The webhooks of one device go out in order.
        var order: [String: [Double]] = [:]
        while let first = tried.first {
            tried.removeFirst()
            order[first.event.device ?? "", default: []].append(first.event.time)
            waiting.ended(first)
            if let next = waiting.next() { tried.append(next) }
        }
        #expect(order.count == 6 && order.values.allSatisfy { $0 == [0, 1e-6] })
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
        let devices = (0..<2).compactMap { _ in Self.take(from: waiting)?.event.device }
        #expect(Set(devices) == ["ann", "bea"])
        var times: [Double] = []
        while let next = Self.take(from: waiting) { times.append(next.event.time) }
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
        while let next = Self.take(from: waiting) { devices.append(next.event.device ?? "") }
        #expect(devices.count == WaitingWebhooks.countMax)
        #expect(devices.prefix(11).contains("last"))
    }

    @Test
    func `Of an erased session nothing goes out any more, and of a later one of its name all`()
        throws
    {
        let waiting = WaitingWebhooks()
        let (ann, now) = (DeviceID(rawValue: 1), ContinuousClock.now)
        for number in [1, 2, 1, 3] {
            _ = waiting.append(Self.event(number, of: "ann"), of: ann, at: now)
        }
        let first = try #require(waiting.next())
        #expect(waiting.isWanted(first))
        waiting.erase([SessionID(high: 1, low: 1), SessionID(high: 1, low: 3)])
        #expect(!waiting.isWanted(first))
        waiting.ended(first)
        _ = waiting.append(Self.event(1, of: "again"), of: ann, at: now)
        let rest = (0..<2).compactMap { _ in Self.take(from: waiting) }
        #expect(rest.map(\.event.time) == [2e-6, 1e-6] && rest.allSatisfy(waiting.isWanted))
        #expect(rest.last?.event.device == "again")
        #expect(waiting.next() == nil)
        // Erasing a session without waiting webhooks drops nothing, neither now nor later.
        waiting.erase([SessionID(high: 1, low: 4)])
        _ = waiting.append(Self.event(4, of: "ann"), of: ann, at: now)
        #expect(waiting.next()?.event.time == 4e-6)
    }
}
