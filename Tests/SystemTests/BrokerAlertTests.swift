import Client
import Foundation
import SensorModel
import Testing
import Transport
import WireFormat

extension SystemTests {
    /// An owner's alerts at a real MQTT broker, as its own clients read them.
    @Suite(
        .enabled(
            if: MosquittoBroker.isThere,
            "needs a build with --traits MQTT, and the packages mosquitto and mosquitto-clients"))
    struct BrokerAlertTests {
        private static let session = SessionID(high: 0x4711_0000_0000_4000, low: 1 << 63)
        private static let sos = "pulsecast/ann-lee/alert/sos"
        private static let settings = ["PULSECAST_MQTT_ALERTS": "ann lee"]

        private static func ask(
            _ daemon: DaemonProcess, _ method: HTTPRequest.Method, _ path: String, token: String,
            _ body: String = ""
        ) async throws -> HTTPClient.Answer {
            try await HTTPClient(daemon.address("http", .http, "/")).send(
                method, path,
                fields: ["Authorization": "Bearer " + token, "Content-Type": "application/json"],
                body: Array(body.utf8))
        }

        private static func object(_ text: some StringProtocol) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        }

        private static func isDelivered(_ answer: HTTPClient.Answer) -> Bool {
            object(String(decoding: answer.body, as: UTF8.self))["delivered"] as? Bool ?? false
        }

        private static func run(
            rights: String? = nil,
            _ body: (MosquittoBroker, DaemonProcess, _ token: String) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                var access = "allow_anonymous true"
                if let rights { access += "\nacl_file \(try folder.write(rights, to: "rights"))" }
                try await MosquittoBroker.run(in: folder, settings: access) { broker in
                    try await DaemonProcess.run(
                        in: folder, environment: broker.settings(settings)
                    ) { daemon in
                        let token = try await daemon.addDevice("ann lee")
                        #expect(
                            try await broker.eventually("pulsecast/status") { $0 == "online" })
                        try await body(broker, daemon, token)
                    }
                }
            }
        }

        /// Sends what a device said a while ago, so that the time to cancel is over.
        private static func send(
            _ lines: [String], _ daemon: DaemonProcess, token: String
        ) async throws -> DeviceClient {
            let client = try await DeviceClient.connect(
                to: daemon.address("device", .tcp, "/"), format: .text)
            var hello = Hello(token: token, session: session)
            hello.recorded = true
            try await client.send(hello)
            for line in lines { try await client.send(text: Array(line.utf8)) }
            return client
        }

        private static func fix(_ time: Double, _ number: Int) -> String {
            #"{"type":"location","latitude":48.1,"longitude":11.5,"altitude":500,"#
                + #""horizontalAccuracy":5,"verticalAccuracy":5,"speed":0,"course":-1,"#
                + #""timestamp":\#(time),"seq":\#(number)}"#
        }

        private static func control(_ action: String, _ time: Double, _ number: Int) -> String {
            #"{"type":"control","action":"\#(action)","timestamp":\#(time),"seq":\#(number)}"#
        }

        @Test func `SOS stands at the broker until it is over, and a test does not stay`()
            async throws
        {
            try await Self.run { broker, daemon, token in
                let listener = try await broker.listen(to: "pulsecast/+/alert/+")
                let kept = try await Self.ask(
                    daemon, .put, "/v1/me/receivers/home", token: token, #"{"kind":"mqtt"}"#)
                #expect(kept.status == 200)
                let tried = try await Self.ask(
                    daemon, .post, "/v1/me/receivers/home/test", token: token)
                #expect(Self.isDelivered(tried))
                let now = Date().timeIntervalSince1970
                let client = try await Self.send(
                    [Self.fix(now - 45, 1), Self.control("sos", now - 40, 2), Self.fix(now, 3)],
                    daemon, token: token)
                var message: [String: Any] = [:]
                #expect(
                    try await broker.eventually(Self.sos) { text in
                        message = text.map(Self.object) ?? [:]
                        return !message.isEmpty
                    })
                #expect(message["phase"] as? String == "raised")
                #expect(message["latitude"] as? Double == 48.1)
                #expect(try await broker.kept("pulsecast/+/alert/+").count == 1)
                let confirm = try #require(message["confirm"] as? String)
                let path = try #require(URL(string: confirm)?.path)
                let taken = try await Self.ask(daemon, .post, path, token: "")
                #expect(taken.status == 200)
                #expect(
                    try await broker.eventually(Self.sos) { text in
                        let told = text.map(Self.object) ?? [:]
                        return told["phase"] as? String == "confirmed"
                            && told["confirmedBy"] as? String == "home"
                    })
                let end = Date().timeIntervalSince1970
                try await client.send(text: Array(Self.control("cancelAlert", end, 4).utf8))
                #expect(
                    try await broker.eventually(Self.sos) { text in
                        text.map(Self.object)?["phase"] as? String == "over"
                    })
                listener.signal(SIGTERM)
                try await listener.waitForEnd(withinSeconds: 10)
                let heard = listener.output.split(separator: "\n").map { line in
                    let parts = line.split(separator: " ", maxSplits: 2)
                    return "\(parts[1]) \(Self.object(parts[2])["phase"] ?? "")"
                }
                #expect(
                    heard == [
                        "pulsecast/ann-lee/alert/test test", "\(Self.sos) raised",
                        "\(Self.sos) confirmed", "\(Self.sos) over",
                    ])
                let removed = try await Self.ask(
                    daemon, .delete, "/v1/me/receivers/home", token: token)
                #expect(removed.status == 204)
                #expect(try await broker.eventually(Self.sos) { $0 == nil })
                await client.close()
            }
        }

        @Test
        func `What is erased is cleared at the broker, and a changed receiver clears nothing`()
            async throws
        {
            try await Self.run { broker, daemon, token in
                let path = "/v1/me/receivers/home"
                _ = try await Self.ask(daemon, .put, path, token: token, #"{"kind":"mqtt"}"#)
                let now = Date().timeIntervalSince1970
                let lines = [
                    Self.fix(now - 45, 1), Self.control("sos", now - 40, 2), Self.fix(now, 3),
                ]
                let client = try await Self.send(lines, daemon, token: token)
                #expect(try await broker.eventually(Self.sos) { $0 != nil })
                let changed = try await Self.ask(
                    daemon, .put, path, token: token, #"{"kind":"mqtt","silentMinutes":5}"#)
                #expect(changed.status == 200)
                // Longer than the time between two looks at what the broker keeps.
                try await Task.sleep(for: .seconds(12))
                #expect(try await broker.kept(Self.sos)[Self.sos] != nil)
                await client.close()
                let erased = try await Self.ask(
                    daemon, .delete, "/v1/me/sessions/\(Self.session)", token: token)
                #expect(erased.status == 200)
                #expect(try await broker.eventually(Self.sos) { $0 == nil })
            }
        }

        @Test func `A message of an earlier run that nothing stands behind is cleared`()
            async throws
        {
            let topics = ["ann-lee", "gone"].map { "pulsecast/\($0)/alert/fall" }
            try await TemporaryFolder.with { folder in
                try await MosquittoBroker.run(in: folder) { broker in
                    for topic in topics {
                        try await broker.publish(#"{"phase":"raised"}"#, to: topic, ["-r"])
                    }
                    try await DaemonProcess.run(
                        in: folder, environment: broker.settings(Self.settings)
                    ) { _ in
                        for topic in topics {
                            let isCleared = try await broker.eventually(topic) { $0 == nil }
                            #expect(isCleared, "\(topic)")
                        }
                    }
                }
            }
        }

        @Test func `Who may not use the broker is told so, and one receiver is the broker`()
            async throws
        {
            try await Self.run { _, daemon, token in
                let bob = try await daemon.addDevice("bob")
                for (who, name, body, status) in [
                    (bob, "home", #"{"kind":"mqtt"}"#, 400),
                    (token, "home", #"{"kind":"mqtt","address":"https://x.example"}"#, 400),
                    (token, "home", #"{"kind":"mqtt","secret":"x"}"#, 400),
                    (token, "home", #"{"kind":"mqtt","silentMinutes":5}"#, 200),
                    (token, "home", #"{"kind":"mqtt"}"#, 200),
                    (token, "other", #"{"kind":"mqtt"}"#, 409),
                    (token, "other", #"{"kind":"ntfy"}"#, 400),
                ] {
                    let answer = try await Self.ask(
                        daemon, .put, "/v1/me/receivers/\(name)", token: who, body)
                    #expect(
                        answer.status == status,
                        "\(body) \(String(decoding: answer.body, as: UTF8.self))")
                }
            }
        }

        @Test func `A broker that refuses the topic has not taken the message`()
            async throws
        {
            try await Self.run(
                rights: "topic read #\ntopic write pulsecast/status\n"
            ) { broker, daemon, token in
                _ = try await Self.ask(
                    daemon, .put, "/v1/me/receivers/home", token: token, #"{"kind":"mqtt"}"#)
                let tried = try await Self.ask(
                    daemon, .post, "/v1/me/receivers/home/test", token: token)
                #expect(tried.status == 200 && !Self.isDelivered(tried))
            }
        }
    }
}
