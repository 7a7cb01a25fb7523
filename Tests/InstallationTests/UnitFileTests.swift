import Daemon
import Foundation
import Runtime
import Testing

/// Checks that the units match the daemon's expectations.
@Suite struct UnitFileTests {
    private static let listeners = ["device", "http", "operations"]

    private static func unit(_ name: String) throws -> UnitFile {
        try UnitFile(InstalledFile.text("systemd/\(name)"))
    }

    @Test(arguments: [
        ("Type", "notify"), ("WatchdogSec", "120"), ("Restart", "on-failure"),
        ("ExecStart", "/usr/bin/pulsecast serve --config /etc/pulsecast/pulsecast.yaml"),
        ("ExecReload", "/bin/kill -HUP $MAINPID"), ("TimeoutStopSec", "15"),
        ("StateDirectory", "pulsecast"), ("RuntimeDirectory", "pulsecast"),
        ("UMask", "0077"), ("LimitCORE", "0"), ("CapabilityBoundingSet", ""),
        ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"),
    ])
    func `The service says it once`(key: String, value: String) throws {
        #expect(try Self.unit("pulsecast.service").values("Service", key) == [value])
    }

    @Test func `The service takes every socket, and enabling it enables them`() throws {
        let service = try Self.unit("pulsecast.service")
        let sockets = Self.listeners.map { "pulsecast-\($0).socket" }
        #expect(service.values("Service", "Sockets") == sockets)
        #expect(service.values("Install", "Also") == [sockets.joined(separator: " ")])
    }

    @Test(arguments: listeners)
    func `A socket's name is the listener's, and it hands over to the service`(listener: String)
        throws
    {
        let socket = try Self.unit("pulsecast-\(listener).socket")
        let name = try #require(socket.values("Socket", "FileDescriptorName").first)
        let passed = ListenDescriptors(
            environment: ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": name],
            processID: 7)
        #expect(passed.descriptors == [listener: 3])
        #expect(
            try InstalledFile.sources(below: "Sources/Daemon/Listeners").contains("\"\(listener)\"")
        )
        #expect(socket.values("Socket", "Service") == ["pulsecast.service"])
        #expect(socket.values("Socket", "Accept") == ["no"])
    }

    @Test func `The sockets listen where the configuration would`() throws {
        let configuration = Configuration()
        let places = [
            "device": configuration.device, "http": configuration.httpListener,
            "operations": configuration.operations,
        ]
        for (listener, place) in places {
            let socket = try Self.unit("pulsecast-\(listener).socket")
            #expect(
                socket.values("Socket", "ListenStream") == ["\(place.host):\(place.port)"],
                "pulsecast-\(listener).socket")
        }
    }

    /// A drop-in appends to lists: without the empty line first, Internet families stay allowed.
    @Test func `The private network keeps no family but Unix`() throws {
        let dropIn = try Self.unit("pulsecast.service.d/private-network.conf")
        #expect(dropIn.values("Service", "PrivateNetwork") == ["yes"])
        #expect(dropIn.values("Service", "RestrictAddressFamilies") == ["", "AF_UNIX"])
    }

    @Test func `The drop-in's head says what it turns off`() throws {
        let text = try InstalledFile.text("systemd/pulsecast.service.d/private-network.conf")
        let head = text.prefix { $0 != "[" }
        #expect(head.contains("turns off") && head.contains("webhook") && head.contains("cluster"))
    }

    @Test func `The user that runs it is the user that is made`() throws {
        let user = try #require(Self.unit("pulsecast.service").values("Service", "User").first)
        #expect(try InstalledFile.text("systemd/pulsecast.sysusers").contains("\nu \(user) "))
        let folders = try InstalledFile.text("systemd/pulsecast.tmpfiles")
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: " ").map(String.init) }
        #expect(folders.contains(["d", "/var/lib/pulsecast", "0700", user, user, "-"]))
        #expect(folders.allSatisfy { $0.count == 6 })
    }

    /// The daemon does not find credentials under other names.
    @Test(arguments: [
        ("master-key", "Sources/Secrets"), ("tls-certificate", "Sources/Daemon"),
        ("tls-key", "Sources/Daemon"), ("webhook-secret", "Sources/API"),
        ("mqtt-password", "Sources/API"), ("nats-password", "Sources/Daemon"),
    ])
    func `A credential is named as the daemon looks for it`(name: String, folder: String) throws {
        #expect(
            try InstalledFile.text("systemd/pulsecast.service")
                .contains("#LoadCredential=\(name):"))
        #expect(try InstalledFile.sources(below: folder).contains("\"\(name)\""))
    }

    @Test func `A line that is no setting is refused`() {
        #expect(throws: UnitFile.Malformed.self) { try UnitFile("[Service]\nnonsense\n") }
        #expect(throws: UnitFile.Malformed.self) { try UnitFile("Key=before any section\n") }
    }
}
