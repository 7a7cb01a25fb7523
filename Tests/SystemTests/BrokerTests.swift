import Client
import Foundation
import Glibc
import LoopbackPort
import Testing
import Transport

extension SystemTests {
    /// The daemon beside a real MQTT broker, whose own clients judge what comes and goes.
    @Suite(
        .enabled(
            if: MosquittoBroker.isThere,
            "needs a build with --traits MQTT, and the packages mosquitto and mosquitto-clients"))
    struct BrokerTests {
        private static let home = (latitude: 48.2, longitude: 11.6)
        private static let away = (latitude: 48.25, longitude: 11.6)
        private static let state = "pulsecast/ann/state"
        private static let announcement = "homeassistant/device/pulsecast_ann/config"
        private static let ownTracks = ["PULSECAST_MQTT_OWNTRACKS": "owntracks/ann/phone=ann"]
        private static let share = ["PULSECAST_MQTT_SHARES": "ann"]

        /// Positions of two minutes, at 4 m/s to the east; the last one is `ago` seconds old.
        private static func positions(
            from place: (latitude: Double, longitude: Double), ago: Int = 0
        ) -> String {
            let (now, seconds) = (Int(Date().timeIntervalSince1970) - ago, 120)
            let items = (0..<seconds).map { second in
                let longitude = place.longitude + Double(4 * second) / 74_000
                return #"{"_type":"location","lat":\#(place.latitude),"lon":\#(longitude),"#
                    + #""acc":4,"vel":14,"tst":\#(now - seconds + 1 + second)}"#
            }
            return "[" + items.joined(separator: ",") + "]"
        }

        private static func position(_ ago: Int = 0) -> String {
            let now = Int(Date().timeIntervalSince1970) - ago
            return #"{"_type":"location","lat":48.85,"lon":2.29,"acc":5,"tst":\#(now)}"#
        }

        private static func ask(
            _ daemon: DaemonProcess, _ method: HTTPRequest.Method, _ target: String, token: String,
            _ body: String = ""
        ) async throws -> HTTPClient.Answer {
            try await HTTPClient(daemon.address("http", .http, target)).send(
                method, target, fields: ["Authorization": "Bearer " + token],
                body: Array(body.utf8))
        }

        private static func object(_ text: String?) throws -> [String: Any] {
            let text = try #require(text)
            return try #require(
                JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        }

        /// - Returns: The sessions of a device.
        private static func sessions(
            _ daemon: DaemonProcess, token: String
        ) async throws -> [[String: Any]] {
            let answer = try await ask(daemon, .get, "/v1/me/sessions", token: token)
            return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: Any]]
                ?? []
        }

        /// Runs `body` with a broker and a daemon that has the device `ann` with a share.
        private static func run(
            _ settings: [String: String],
            _ body: (MosquittoBroker, DaemonProcess, _ token: String, _ share: String) async throws
                -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await MosquittoBroker.run(in: folder) { broker in
                    try await DaemonProcess.run(
                        in: folder, environment: broker.settings(settings)
                    ) { daemon in
                        let token = try await daemon.addDevice("ann")
                        let share = try await daemon.addShare(of: "ann")
                        try await body(broker, daemon, token, share)
                    }
                }
            }
        }

        // MARK: Out

        @Test func `A share stands at the broker as its link shows it, until it is revoked`()
            async throws
        {
            try await Self.run(Self.share) { broker, daemon, token, share in
                let pushed = try await Self.ask(
                    daemon, .post, "/in/owntracks", token: token, Self.positions(from: Self.away))
                #expect(pushed.status == 200)
                #expect(
                    try await broker.eventually(Self.state) { text in
                        text?.contains(#""latitude":48.25"#) ?? false
                    })
                let kept = try await broker.kept()
                #expect(kept["pulsecast/status"] == "online")
                let state = try Self.object(kept[Self.state])
                let latest = try Self.object(
                    String(
                        decoding: try await Self.ask(
                            daemon, .get, "/v1/shares/\(share)/latest", token: ""
                        ).body, as: UTF8.self))
                let shown = try #require(latest["position"] as? [String: Any])
                #expect(state["longitude"] as? Double == shown["longitude"] as? Double)
                #expect(state["distanceMeters"] as? Double == latest["distanceMeters"] as? Double)
                #expect(state["heartRate"] is NSNull)
                let components = try #require(
                    try Self.object(kept[Self.announcement])["components"] as? [String: Any])
                #expect(
                    components.keys.sorted() == [
                        "alert", "battery", "cadence", "distance", "heart_rate", "pace", "position",
                        "state", "zone",
                    ])
                let revoked = try await daemon.command(["share", "revoke", "ann"])
                #expect(revoked.end == .exited(0), "\(revoked.complaint)")
                #expect(try await broker.eventually(Self.state) { $0 == nil })
                #expect(try await broker.kept() == ["pulsecast/status": "online"])
                #expect(try await daemon.terminate() == .exited(0))
                #expect(try await broker.kept() == ["pulsecast/status": "offline"])
            }
        }

        @Test func `A hidden place has no position, and one message a second comes at most`()
            async throws
        {
            try await Self.run(Self.share) { broker, daemon, token, _ in
                let zones =
                    #"{"zones":[{"name":"home","latitude":\#(Self.home.latitude),"#
                    + #""longitude":\#(Self.home.longitude),"radiusMeters":1500}]}"#
                #expect(
                    try await Self.ask(daemon, .put, "/v1/me/zones", token: token, zones).status
                        == 200)
                let listener = try await broker.listen(to: "pulsecast/ann/#")
                _ = try await Self.ask(
                    daemon, .post, "/in/owntracks", token: token,
                    Self.positions(from: Self.away, ago: 125))
                #expect(
                    try await broker.eventually(Self.state) { text in
                        text?.contains(#""latitude":48.25"#) ?? false
                    })
                _ = try await Self.ask(
                    daemon, .post, "/in/owntracks", token: token, Self.positions(from: Self.home))
                #expect(
                    try await broker.eventually(Self.state) { text in
                        text?.contains(#""latitude":null,"longitude":null"#) ?? false
                    })
                listener.signal(SIGTERM)
                try await listener.waitForEnd(withinSeconds: 10)
                #expect(!listener.output.contains(#""latitude":48.2,"#), "\(listener.output)")
                let count = listener.output.split(separator: "\n").count
                #expect(count >= 2 && count <= 10, "\(listener.output)")
            }
        }

        @Test func `A delayed share comes to the broker as late as to everybody`() async throws {
            try await Self.run(["PULSECAST_MQTT_SHARES": "late"]) { broker, daemon, token, _ in
                let made = try await daemon.command([
                    "share", "create", "--device", "ann", "--name", "late", "--delay", "6s",
                ])
                #expect(made.end == .exited(0), "\(made.complaint)")
                let topic = "pulsecast/late/state"
                #expect(try await broker.eventually(topic) { $0 != nil })
                let start = ContinuousClock.now
                _ = try await Self.ask(
                    daemon, .post, "/in/owntracks", token: token, Self.positions(from: Self.away))
                var early = 0
                #expect(
                    try await broker.eventually(topic) { text in
                        let isShown = text?.contains(#""latitude":48.25"#) ?? false
                        if isShown, start.duration(to: .now) < .seconds(6) { early += 1 }
                        return isShown
                    })
                #expect(early == 0)
            }
        }

        @Test func `A right that is missing at the broker is in the journal`() async throws {
            try await TemporaryFolder.with { folder in
                let rights = try folder.write(
                    "topic read #\ntopic write pulsecast/status\n", to: "rights")
                try await MosquittoBroker.run(
                    in: folder, settings: "allow_anonymous true\nacl_file \(rights)"
                ) { broker in
                    let settings = broker.settings(Self.share)
                    try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                        _ = try await daemon.addDevice("ann")
                        _ = try await daemon.addShare(of: "ann")
                        let line = "the MQTT broker refuses writing to a topic: Not authorized"
                        let told = try await daemon.process.complaint(with: line)
                        #expect(told.components(separatedBy: line).count == 2, "\(told)")
                    }
                }
            }
        }

        @Test func `A share that left the configuration leaves the broker`() async throws {
            try await TemporaryFolder.with { folder in
                try await MosquittoBroker.run(in: folder) { broker in
                    let settings = broker.settings(Self.share)
                    try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                        _ = try await daemon.addDevice("ann")
                        _ = try await daemon.addShare(of: "ann")
                        #expect(try await broker.eventually(Self.announcement) { $0 != nil })
                        #expect(try await daemon.terminate() == .exited(0))
                    }
                    #expect(try await broker.kept().count == 3)
                    try await broker.publish("{}", to: "pulsecast/other/name", ["-r"])
                    try await DaemonProcess.run(in: folder, environment: broker.settings()) { _ in
                        #expect(try await broker.eventually(Self.state) { $0 == nil })
                        let kept = try await broker.kept()
                        #expect(kept.keys.sorted() == ["pulsecast/other/name", "pulsecast/status"])
                    }
                }
            }
        }

        @Test func `A broker that starts again gets everything again`() async throws {
            try await TemporaryFolder.with { folder in
                let port = LoopbackPort.free()
                let settings = [
                    "PULSECAST_MQTT_HOST": "127.0.0.1", "PULSECAST_MQTT_PORT": "\(port)",
                ].merging(Self.share) { _, new in new }
                // The daemon starts before the broker.
                try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                    _ = try await daemon.addDevice("ann")
                    _ = try await daemon.addShare(of: "ann")
                    for _ in 0..<2 {
                        try await MosquittoBroker.run(in: folder, port: port) { broker in
                            let isThere = try await broker.eventually(Self.announcement) {
                                $0 != nil
                            }
                            let state = try await broker.kept()[Self.state]
                            #expect(isThere && state != nil)
                        }
                    }
                    let complaint = try await daemon.process.complaint(
                        with: "no connection to the MQTT broker")
                    #expect(complaint.contains("connected to the MQTT broker"))
                }
            }
        }

        // MARK: In

        @Test func `Positions of OwnTracks are recorded once, and none that the broker kept`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await MosquittoBroker.run(in: folder) { broker in
                    let topic = "owntracks/ann/phone"
                    var token = ""
                    try await broker.publish(Self.position(30), to: topic, ["-r"])
                    let settings = broker.settings(Self.ownTracks)
                    try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                        token = try await daemon.addDevice("ann")
                        #expect(
                            try await broker.eventually("pulsecast/status") { $0 == "online" })
                        try await Task.sleep(for: .seconds(1))
                        #expect(try await Self.sessions(daemon, token: token).isEmpty)
                        let twice = Self.position()
                        for _ in 0..<3 { try await broker.publish(twice, to: topic) }
                        let http = try await Self.ask(
                            daemon, .post, "/in/owntracks", token: token, twice)
                        #expect(http.status == 200)
                        let frames = try await daemon.metric("pulsecast_frames_recorded_total")
                        #expect(frames == 1)
                        #expect(try await Self.sessions(daemon, token: token).count == 1)
                        #expect(try await daemon.terminate() == .exited(0))
                    }
                    // The broker keeps it for the daemon, which is away for a moment.
                    try await broker.publish(Self.position(), to: topic)
                    try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                        var frames: Double?
                        for _ in 0..<100 where frames != 1 {
                            try await Task.sleep(for: .milliseconds(100))
                            frames = try await daemon.metric("pulsecast_frames_recorded_total")
                        }
                        #expect(frames == 1)
                        #expect(try await Self.sessions(daemon, token: token).count == 1)
                    }
                }
            }
        }

        @Test func `A flood is dropped and counted, and holds up nobody else`() async throws {
            let settings = [
                "PULSECAST_MQTT_OWNTRACKS": "owntracks/ann/phone=ann,owntracks/bob/phone=bob"
            ]
            try await Self.run(settings) { broker, daemon, _, _ in
                let token = try await daemon.addDevice("bob")
                #expect(try await broker.eventually("pulsecast/status") { $0 == "online" })
                let now = Int(Date().timeIntervalSince1970)
                let lines = (0..<20_000).map { number in
                    #"{"_type":"location","lat":48.8,"lon":2.2,"tst":\#(now - 30_000 + number)}"#
                }
                let file = try broker.folder.write(lines.joined(separator: "\n"), to: "flood")
                let flood = try ChildProcess(
                    "/bin/sh",
                    [
                        "-c",
                        "mosquitto_pub -p \(broker.port) -q 0 -l -t owntracks/ann/phone < \(file)",
                    ], in: broker.folder)
                try await broker.publish(
                    String(repeating: " ", count: 20_000), to: "owntracks/ann/phone")
                try await broker.publish(Self.position(), to: "owntracks/bob/phone")
                var count = 0
                for _ in 0..<100 where count == 0 {
                    try await Task.sleep(for: .milliseconds(100))
                    count = try await Self.sessions(daemon, token: token).count
                }
                #expect(count == 1)
                try await flood.waitForEnd(withinSeconds: 60)
                let told = try await daemon.process.complaint(with: "are not recorded")
                #expect(told.contains("device=ann"), "\(told)")
                let dropped = try await daemon.metric(
                    #"pulsecast_frames_refused_total{reason="dropped_over_mqtt"}"#)
                #expect(dropped ?? 0 > 100)
            }
        }

        // MARK: Access

        @Test func `With TLS and a password the daemon enters, and not with another one`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let made = try await Program.run(
                    ["tls", "self-signed", "--folder", folder.file("tls"), "--name", "127.0.0.1"],
                    in: folder)
                #expect(made.end == .exited(0), "\(made.complaint)")
                let (authorities, key) = (
                    folder.file("tls/certificate.pem"), folder.file("tls/key.pem")
                )
                let passwords = folder.file("passwords")
                let maker = try ChildProcess(
                    "/usr/bin/mosquitto_passwd", ["-b", "-c", passwords, "ann", "right"],
                    in: folder)
                #expect(try await maker.waitForEnd() == .exited(0))
                try await MosquittoBroker.run(
                    in: folder,
                    settings: """
                        certfile \(authorities)
                        keyfile \(key)
                        allow_anonymous false
                        password_file \(passwords)
                        """,
                    credentials: ["--cafile", authorities, "-u", "ann", "-P", "right"]
                ) { broker in
                    for password in ["wrong", "right"] {
                        let settings = broker.settings([
                            "PULSECAST_MQTT_CA_FILE": authorities, "PULSECAST_MQTT_USER": "ann",
                            "PULSECAST_MQTT_PASSWORD_FILE": try folder.write(
                                password + "\n", to: password),
                        ])
                        try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                            let line =
                                password == "right"
                                ? "connected to the MQTT broker"
                                : "no connection to the MQTT broker, trying again: Not authorized"
                            let told = try await daemon.process.complaint(with: line)
                            #expect(told.contains(line), "\(told)")
                        }
                    }
                    #expect(try await broker.kept() == ["pulsecast/status": "offline"])
                }
            }
        }
    }
}
