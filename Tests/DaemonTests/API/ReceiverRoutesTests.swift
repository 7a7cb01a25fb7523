import Client
import Foundation
import Registry
import Secrets
import SensorModel
import Synchronization
import Testing
import Transport
import WireFormat

@testable import API
@testable import Daemon
@testable import Runtime

/// Alerts that reach the receivers of a device, until one confirms.
@Suite(.serialized) struct ReceiverRoutesTests {
    static let session = RunningDaemon.session(0)

    static func put(
        _ running: RunningDaemon, _ name: String, _ body: String, token: String
    ) async throws -> HTTPClient.Answer {
        try await running.askMe(.put, "/receivers/\(name)", body, token: token)
    }

    static func objects(_ receiver: ReceivingServer) throws -> [[String: Any]] {
        try receiver.requests.map {
            try #require(
                JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
        }
    }

    /// Runs `body` with a daemon that trusts this machine, and a server that is told.
    static func run(
        statuses: [Int] = [],
        _ body: (RunningDaemon, _ token: String, ReceivingServer, _ url: String) async throws
            -> Void
    ) async throws {
        let receiver = ReceivingServer(statuses: statuses)
        try await receiver.run { url in
            try await RunningDaemon.run({
                $0.alerts.trustedHosts = [ReceivingServer.place(of: url)]
            }) { running in
                try await body(running, try running.addDevice("ann"), receiver, url)
            }
        }
    }

    /// Sends a position and, a while ago, SOS: the window in which the runner may cancel it is over.
    static func callForHelp(
        _ running: RunningDaemon, token: String
    ) async throws -> DeviceClient {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        // By the device's clock, so that the window is over at once.
        var hello = Hello(token: token, session: session)
        hello.recorded = true
        try await client.send(hello)
        let now = WallClock.now().secondsSince1970
        func fix(_ time: Double, _ number: Int) -> String {
            #"{"type":"location","latitude":48.1,"longitude":11.5,"altitude":500,"#
                + #""horizontalAccuracy":5,"verticalAccuracy":5,"speed":0,"course":-1,"#
                + #""timestamp":\#(time),"seq":\#(number)}"#
        }
        for line in [
            fix(now - 45, 1),
            #"{"type":"control","action":"sos","timestamp":\#(now - 40),"seq":2}"#, fix(now, 3),
        ] {
            try await client.send(text: Array(line.utf8))
        }
        return client
    }

    @Test func `SOS reaches all receivers, in their form, with a link that ends with the alert`()
        async throws
    {
        try await Self.run { running, token, receiver, url in
            let hook = try await Self.put(
                running, "mum", #"{"kind":"webhook","address":"\#(url)","secret":"Jefe"}"#,
                token: token)
            #expect(hook.status == 200, "\(hook.text)")
            #expect(hook.object["share"] as? String != nil)
            #expect(hook.object["hasSecret"] as? Bool == true && !hook.text.contains("Jefe"))
            let topic = url.replacing("/hook", with: "/base/anna-4711")
            let push = try await Self.put(
                running, "dad",
                #"{"kind":"ntfy","address":"\#(topic)","secret":"tk_1","silentMinutes":15}"#,
                token: token)
            #expect(push.status == 200, "\(push.text)")

            let client = try await Self.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { receiver.requests.count >= 2 })
            let told = try Self.objects(receiver)
            let message = try #require(told.first { $0["event"] as? String == "alert" })
            #expect(message["alert"] as? String == "sos")
            #expect(message["phase"] as? String == "raised")
            #expect(message["latitude"] as? Double == 48.1, "\(message)")
            #expect(message["title"] as? String == "ann calls for help")
            let link = try #require(message["link"] as? String)
            let text = try #require(message["text"] as? String)
            #expect(text.contains("48.10000, 11.50000") && text.contains(link))

            let signed = try #require(
                receiver.requests.first { $0.fields["x-pulsecast-event"] == "alert" })
            let code = "sha256=" + MessageCode.signature(of: signed.body, key: Array("Jefe".utf8))
            #expect(signed.fields["x-pulsecast-signature"] == code)

            let published = try #require(told.first { $0["topic"] != nil })
            #expect(published["topic"] as? String == "anna-4711")
            #expect(published["priority"] as? Int == 5)
            #expect(published["click"] as? String == link)
            let actions = try #require(published["actions"] as? [[String: Any]])
            #expect(actions.map { $0["action"] as? String } == ["http", "view"])
            let request = try #require(
                receiver.requests.first { $0.fields["authorization"] != nil })
            #expect(request.path == "/base")
            #expect(request.fields["authorization"] == "Bearer tk_1")

            // The link is live, and ends with the alert.
            let id = try #require(link.split(separator: "/").last)
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 200)
            try await client.send(
                text: Array(
                    #"{"type":"control","action":"cancelAlert","timestamp":\#(WallClock.now().secondsSince1970),"seq":4}"#
                        .utf8))
            #expect(
                try await running.eventually(seconds: 60) {
                    try Self.objects(receiver).contains { $0["phase"] as? String == "over" }
                })
            #expect(
                try await running.eventually(seconds: 60) {
                    try await running.ask(.get, "/v1/shares/\(id)/latest").status == 404
                })
            await client.close()
        }
    }

    @Test func `Who confirms is named to the others and to the runner; a preview confirms nothing`()
        async throws
    {
        try await Self.run { running, token, receiver, url in
            for name in ["dad", "mum"] {
                let put = try await Self.put(
                    running, name, #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
                #expect(put.status == 200)
            }
            let client = try await Self.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { receiver.requests.count >= 2 })
            let addresses = Set(try Self.objects(receiver).compactMap { $0["confirm"] as? String })
            #expect(addresses.count == 2, "each receiver has its own")
            let paths = addresses.map { "/alert/" + ($0.split(separator: "/").last ?? "") }
            let page = try await running.ask(.get, paths[0])
            #expect(page.status == 200 && page.text.contains("<form method=\"post\">"))
            #expect(receiver.requests.count == 2, "a preview confirms nothing")
            let confirmed = try await running.ask(.post, paths[0])
            let by = try #require(confirmed.object["confirmedBy"] as? String)
            #expect(["mum", "dad"].contains(by))
            let again = try await running.ask(.post, paths[1])
            #expect(again.object["confirmedBy"] as? String == by)
            #expect(
                try await running.eventually(seconds: 60) {
                    try Self.objects(receiver).count { $0["phase"] as? String == "confirmed" } == 2
                })
            var heard: [String] = []
            for try await answer in client.answers {
                if case .other(let json) = answer {
                    heard.append(json)
                    break
                }
            }
            #expect(heard == [#"{"alert":"sos","by":"\#(by)","type":"alertConfirmed"}"#])
            for wrong in ["/alert/x", "/alert/" + String(repeating: "A", count: 22)] {
                #expect(try await running.ask(.get, wrong).status == 404)
                #expect(try await running.ask(.post, wrong).status == 404)
            }
            await client.close()
        }
    }

    @Test func `A receiver that was removed confirms nothing, and its link ends`() async throws {
        try await Self.run { running, token, receiver, url in
            for name in ["dad", "mum"] {
                _ = try await Self.put(
                    running, name, #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
            }
            let client = try await Self.callForHelp(running, token: token)
            // The receivers' share is not the one that the watch shows: its link changes.
            for try await answer in client.answers {
                guard case .welcome(_, let share) = answer else { continue }
                #expect(share == nil)
                break
            }
            #expect(try await running.eventually(seconds: 60) { receiver.requests.count >= 2 })
            let told = try Self.objects(receiver)
            let link = try #require((told[0]["link"] as? String)?.split(separator: "/").last)
            #expect(try await running.ask(.get, "/v1/shares/\(link)/latest").status == 200)
            let removed = try await running.ask(
                .delete, "/v1/me/receivers/mum", token: token)
            #expect(removed.status == 204)
            #expect(try await running.ask(.get, "/v1/shares/\(link)/latest").status == 404)
            var statuses: [Int] = []
            for message in told {
                let address = try #require(message["confirm"] as? String)
                let path = "/alert/" + (address.split(separator: "/").last ?? "")
                statuses.append(try await running.ask(.post, path).status)
            }
            #expect(statuses.sorted() == [200, 404])
            let last = try await running.ask(.delete, "/v1/me/receivers/dad", token: token)
            #expect(last.status == 204)
            let shares = try await running.ask(.get, "/v1/me/shares", token: token)
            #expect(shares.list.allSatisfy { $0["revoked"] as? Bool == true })
            await client.close()
        }
    }

    @Test func `An open alert is told again after a restart`() async throws {
        let receiver = ReceivingServer()
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await receiver.run { url in
            let trust: (inout Configuration) -> Void = {
                $0.alerts.trustedHosts = [ReceivingServer.place(of: url)]
            }
            try await RunningDaemon.again(in: folder, trust) { running in
                let token = try running.addDevice("ann")
                let put = try await Self.put(
                    running, "mum", #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
                #expect(put.status == 200)
                let client = try await Self.callForHelp(running, token: token)
                #expect(
                    try await running.eventually(seconds: 60) { receiver.requests.count == 1 })
                await client.close()
            }
            try await RunningDaemon.again(in: folder, trust) { running in
                #expect(
                    try await running.eventually(seconds: 60) { receiver.requests.count >= 2 })
                let told = try Self.objects(receiver)
                #expect(told[1]["alert"] as? String == "sos")
                #expect((told[1]["link"] as? String)?.hasPrefix("http://127.0.0.1:") == true)
                for key in ["since", "confirm", "link"] {
                    let (before, after) = ("\(told[0][key] ?? "")", "\(told[1][key] ?? "")")
                    // The port is another; the secret is not.
                    #expect(before.suffix(12) == after.suffix(12))
                }
                // Erased, it is over for everybody.
                let path = "/sessions/\(Self.session)"
                #expect(try await running.admin(.delete, path).status == 200)
                #expect(try running.daemon.accounts.registry.openAlerts().isEmpty)
            }
        }
    }

    /// A silence, a standstill or an end would tell when the runner came home.
    @Test(arguments: [false, true])
    func `Of an owner who hides places only calls for help are told, but to the trusted`(
        isTrusted: Bool
    ) async throws {
        try await Self.run { running, token, receiver, url in
            let zone = #"{"name":"Home","latitude":48.1,"longitude":11.5,"radiusMeters":500}"#
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: token,
                fields: ["Content-Type": "application/json"], body: #"{"zones":[\#(zone)]}"#)
            #expect(zones.status == 200)
            _ = try await Self.put(
                running, "mum",
                #"{"kind":"webhook","address":"\#(url)","trusted":\#(isTrusted)}"#, token: token)
            let client = try await Self.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { receiver.requests.count >= 1 })
            let message = try #require(try Self.objects(receiver).first)
            #expect(message["alert"] as? String == "sos")
            #expect(message["latitude"] == nil && message["since"] != nil)
            #expect((message["text"] as? String)?.contains("The place is not shown.") == true)
            let device = try #require(running.daemon.accounts.device(named: "ann")).id
            let center = running.daemon.alerts
            // Silence is told only to those who asked for it.
            let keys = [AlertTopic.silent, .noMovement, .offCourse].map {
                AlertCases.Key(session: Self.session, topic: $0)
            }
            for key in keys { center.raise(key, of: device, since: WallClock.now()) }
            let areTold = try await running.eventually {
                var (cases, telling) = center.state.withLock { ($0.cases, $0.telling) }
                let due = cases.takeDue(at: WallClock.now(), where: { _ in true })
                return due == nil && telling.isEmpty
            }
            #expect(areTold)
            center.end(keys)
            let areOver = try await running.eventually {
                center.state.withLock { $0.news.isEmpty && $0.telling.isEmpty }
            }
            #expect(areOver)
            let told = try Self.objects(receiver)
            #expect(told.allSatisfy { $0["latitude"] == nil })
            #expect(told.count == (isTrusted ? 1 + 2 + 2 : 1), "\(told)")
            await client.close()
        }
    }

    @Test(arguments: [
        (#"{"kind":"webhook","address":"http://example.org/hook"}"#, "https"),
        (#"{"kind":"webhook","address":"https://10.0.0.1/hook"}"#, "internet"),
        (#"{"kind":"webhook","address":"https://[::1]/hook"}"#, "internet"),
        (#"{"kind":"webhook","address":"https://169.254.169.254/latest"}"#, "internet"),
        (#"{"kind":"webhook","address":"unix:///run/pulsecast/admin.sock"}"#, "https"),
        (#"{"kind":"ntfy","address":"https://ntfy.example/"}"#, "topic"),
        (#"{"kind":"mail","address":"https://ntfy.example/x"}"#, "webhook, ntfy"),
        (#"{"kind":"ntfy","address":"https://ntfy.example/x","silentMinutes":2}"#, "3 to 240"),
        (#"{"kind":"ntfy","address":"https://ntfy.example/x","secret":"a b"}"#, "ASCII"),
    ])
    func `What nobody can be told at, or nobody should, is refused`(
        body: String, reason: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let answer = try await Self.put(running, "mum", body, token: token)
            #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
            let list = try await running.ask(.get, "/v1/me/receivers", token: token)
            #expect(list.list.isEmpty)
        }
    }

    @Test func `A name that leads to this machine is not connected to`() async throws {
        try await Self.run { running, token, receiver, url in
            let port = try #require(URL(string: url)?.port)
            let put = try await Self.put(
                running, "mum", #"{"kind":"webhook","address":"https://localhost:\#(port)/x"}"#,
                token: token)
            #expect(put.status == 200, "a name may lead anywhere")
            let test = try await running.ask(
                .post, "/v1/me/receivers/mum/test", token: token)
            #expect(test.object["delivered"] as? Bool == false)
            #expect(test.object["status"] is NSNull)
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test func `A test is told apart from an alert, and is rare`() async throws {
        try await Self.run(statuses: [403]) { running, token, receiver, url in
            _ = try await Self.put(
                running, "mum", #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
            let first = try await running.ask(
                .post, "/v1/me/receivers/MUM/test", token: token)
            #expect(first.object["status"] as? Int == 403)
            #expect(first.object["delivered"] as? Bool == false)
            #expect(try Self.objects(receiver)[0]["phase"] as? String == "test")
            let second = try await running.ask(
                .post, "/v1/me/receivers/mum/test", token: token)
            #expect(second.status == 429)
            for number in 0..<4 {
                let put = try await Self.put(
                    running, "r\(number)", #"{"kind":"webhook","address":"\#(url)"}"#,
                    token: token)
                #expect(put.status == (number < 3 ? 200 : 409), "\(put.text)")
            }
            let removed = try await running.ask(
                .delete, "/v1/me/receivers/mum", token: token)
            #expect(removed.status == 204)
            let gone = try await running.ask(.post, "/v1/me/receivers/mum/test", token: token)
            #expect(gone.status == 404)
        }
    }
}
