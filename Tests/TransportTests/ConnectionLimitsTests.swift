import SensorModel
import Synchronization
import Testing
import Transport

@Suite(.serialized) struct ConnectionLimitsTests {
    @Test func `Beyond the limit a connection is closed at once`() async throws {
        var limits = ConnectionLimits()
        limits.connectionsMax = 2
        try await withServer(limits: limits) { daemon, device, _ in
            let first = try RawSocket(device)
            await first.send(DeviceSocketTests.hello)
            try await first.receive(until: "}\n")
            let second = try RawSocket(device)
            await second.send(DeviceSocketTests.hello)
            try await second.receive(until: "}\n")
            let third = try RawSocket(device)
            #expect(try await third.receive().isEmpty)
            second.close()
            await eventually("gone") {
                daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 1
            }
            let fourth = try RawSocket(device)
            await fourth.send(DeviceSocketTests.hello)
            try await fourth.receive(until: "}\n")
        }
    }

    @Test func `The oldest stranger gives way to a newcomer, a device does not`() async throws {
        var limits = ConnectionLimits()
        limits.unauthenticatedMax = 10
        try await withServer(limits: limits) { daemon, device, http in
            let good = try RawSocket(device)
            await good.send(DeviceSocketTests.hello)
            try await good.receive(until: "}\n")
            let strangers = try (0..<30).map { try RawSocket($0 % 2 == 0 ? device : http) }
            await eventually("twenty gave way") {
                daemon.loops.counters.connectionsRefused.load(ordering: .relaxed) == 20
                    && daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 11
            }
            let late = try RawSocket(device)
            await late.send(DeviceSocketTests.hello)
            try await late.receive(until: "}\n")
            await good.send(DeviceSocketTests.heartRate(1))
            try await good.receive(until: "\"seq\":1}\n")
            withExtendedLifetime(strangers) {}
        }
    }
}
