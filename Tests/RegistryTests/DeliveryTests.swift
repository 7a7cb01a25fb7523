import Registry
import SensorModel
import Testing

@Suite struct DeliveryTests {
    private static func session(_ number: UInt64) -> SessionID { SessionID(high: number, low: 1) }

    private static func target(
        _ name: String, address: String = "https://a.example", secret: String? = "s"
    ) -> DeliveryTarget {
        DeliveryTarget(
            name: name, kind: .webhook, address: address, secret: secret, madeAt: Scratch.now)
    }

    /// Sealing as a change of all bytes.
    private static func seal(_ bytes: [UInt8]) -> [UInt8] { bytes.map { ~$0 } }

    @discardableResult
    private static func put(
        _ target: DeliveryTarget, of device: DeviceID, _ scratch: Scratch
    ) throws -> DeliveryTarget {
        try scratch.store.putTarget(target, of: device, seal: seal)
        let stored = try scratch.store.targets(of: device, open: seal)
        return try #require(stored.first { $0.isNamed(target.name) })
    }

    @Test func `Targets read back, and a change keeps their number and age`() throws {
        let scratch = try Scratch()
        let (one, two) = (try scratch.addDevice("one").id, try scratch.addDevice("two", hash: 2).id)
        let first = try Self.put(Self.target("Diary"), of: one, scratch)
        var changed = Self.target("diary", address: "https://b.example", secret: nil)
        changed.madeAt = Scratch.now.advanced(bySeconds: 60)
        try scratch.reopen()
        let second = try Self.put(changed, of: one, scratch)
        #expect(second.id == first.id && second.madeAt == first.madeAt)
        #expect(second.address == "https://b.example" && second.secret == nil)
        #expect(try scratch.store.targets(of: two, open: Self.seal).isEmpty)
        #expect(try scratch.store.targets(of: one, open: { _ in nil }).isEmpty)
        #expect(try scratch.store.devicesWithTargets() == [one])
        for number in 2...DeliveryTarget.perDeviceMax {
            try Self.put(Self.target("t\(number)"), of: one, scratch)
        }
        #expect(throws: RegistryError.targetsFull(DeliveryTarget.perDeviceMax)) {
            try Self.put(Self.target("more"), of: one, scratch)
        }
        #expect(try scratch.store.targets(of: one, open: Self.seal).count == 4)
        #expect(throws: RegistryError.unknownTarget("x")) {
            try scratch.store.removeTarget(named: "x", of: one)
        }
        #expect(throws: RegistryError.unknownTarget("diary")) {
            try scratch.store.removeTarget(named: "diary", of: two)
        }
    }

    @Test func `A session is delivered to a target once, unless it is asked again`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        let target = try Self.put(Self.target("t"), of: device, scratch)
        func add(again: Bool = false) throws -> Delivery? {
            try scratch.store.addDelivery(
                of: Self.session(1), to: target.id, at: Scratch.now, isAgain: again)
        }
        var made = try #require(try add())
        #expect(try add() == nil && add(again: true) == nil, "it waits already")
        #expect(try scratch.store.beginDelivery(made.id, at: Scratch.now))
        try scratch.reopen()
        let waiting = try scratch.store.waitingDeliveries(max: 10)
        #expect(waiting.map(\.tries) == [1], "a restart knows of the try")
        (made.state, made.frames) = (.delivered, 7)
        try scratch.store.putOutcome(made)
        #expect(try !scratch.store.beginDelivery(made.id, at: Scratch.now))
        #expect(try add() == nil && add(again: true) == nil, "it was just sent")
        made.changedAt = Scratch.now.advanced(bySeconds: -Delivery.againSeconds)
        try scratch.store.putOutcome(made)
        #expect(try add() == nil)
        let again = try #require(try add(again: true))
        #expect(again.id > made.id)
        #expect(try scratch.store.deliveries(of: device, newest: 5).map(\.id) == [again.id])
        try scratch.store.putOutcome(made)
        #expect(try scratch.store.deliveries(of: device, newest: 5)[0].state == .waiting)
        #expect(
            try scratch.store.addDelivery(
                of: Self.session(1), to: 99, at: Scratch.now, isAgain: false) == nil)
    }

    @Test func `Deliveries go with their session, their target and their device`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        for name in ["t", "u"] {
            let target = try Self.put(Self.target(name), of: device, scratch)
            for number in 0..<3 {
                _ = try scratch.store.addDelivery(
                    of: Self.session(UInt64(number)), to: target.id, at: Scratch.now,
                    isAgain: false)
            }
        }
        try scratch.store.deleteSessions([Self.session(0)])
        #expect(try scratch.store.deliveries(of: device, newest: 10).count == 4)
        #expect(try Set(scratch.store.notedSessions()) == [Self.session(1), Self.session(2)])
        try scratch.store.removeTarget(named: "T", of: device)
        #expect(try scratch.store.deliveries(of: device, newest: 10).count == 2)
        #expect(try scratch.store.deliveries(of: device, newest: 1).count == 1)
        try scratch.store.deleteDevice(device)
        #expect(try scratch.store.waitingDeliveries(max: 10).isEmpty)
    }

    @Test func `So many of a device wait, and no more`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        let target = try Self.put(Self.target("t"), of: device, scratch)
        func add(_ number: Int) throws -> Delivery? {
            try scratch.store.addDelivery(
                of: Self.session(UInt64(number)), to: target.id, at: Scratch.now, isAgain: false)
        }
        for number in 0..<Delivery.waitingMax { #expect(try add(number) != nil) }
        #expect(throws: RegistryError.deliveriesFull(Delivery.waitingMax)) {
            _ = try add(Delivery.waitingMax)
        }
        var first = try #require(try scratch.store.waitingDeliveries(max: 1).first)
        first.state = .failed
        try scratch.store.putOutcome(first)
        #expect(try add(Delivery.waitingMax) != nil)
        #expect(try scratch.store.waitingDeliveries(max: 10_000).count == Delivery.waitingMax)
        // Another device's are not behind all of these.
        let other = try scratch.addDevice("two", hash: 2).id
        let mine = try Self.put(Self.target("t"), of: other, scratch)
        let later = try scratch.store.addDelivery(
            of: Self.session(9), to: mine.id, at: Scratch.now.advanced(bySeconds: 9),
            isAgain: false)
        #expect(try scratch.store.waitingDeliveries(max: 2).map(\.id).last == later?.id)
    }
}
