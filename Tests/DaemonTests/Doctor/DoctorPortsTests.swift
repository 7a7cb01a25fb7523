import Daemon
import Runtime
import SensorModel
import Testing

@Suite struct DoctorPortsTests {
    private static func ports(_ folder: String) async -> [Finding] {
        var configuration = Configuration()
        configuration.stateDirectory = folder
        // Port 0 avoids other listeners on this machine; only a daemon knows which port it gets.
        configuration.device.port = 0
        configuration.httpListener.port = 0
        configuration.operations.port = 0
        return await Doctor(configuration, environment: [:]).findings(at: WallClock.now())
            .filter { $0.check == "port" }
    }

    @Test
    func `The doctor names the addresses of a running daemon, not those of its configuration`()
        async throws
    {
        try await RunningDaemon.run { running in
            let found = await Self.ports(running.folder)
            #expect(found.map(\.verdict) == [.fine, .fine, .fine])
            for (finding, name) in zip(found, ["device", "http", "operations"]) {
                let address = try #require(running.addresses[name])
                #expect(finding.found == "\(name): \(address), and Pulsecast runs here")
            }
        }
    }

    @Test func `Without a daemon the doctor tries the ports of the configuration`() async {
        let found = await Self.ports(RunningDaemon.newFolder())
        #expect(found.count == 3)
        #expect(found.allSatisfy { $0.found.hasSuffix(":0 is free") })
    }
}
