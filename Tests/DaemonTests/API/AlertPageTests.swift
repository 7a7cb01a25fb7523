import Client
import Registry
import SensorModel
import Synchronization
import Testing
import Transport

@testable import API
@testable import Daemon
@testable import Runtime

/// The page by which a receiver confirms an alert, and the live link of alerts.
@Suite(.serialized) struct AlertPageTests {
    private typealias Receivers = ReceiverRoutesTests

    private static func page(_ running: RunningDaemon, _ path: String) async throws -> String {
        let answer = try await running.ask(.get, path, fields: ["Accept": "text/html"])
        #expect(answer.status == 200)
        return answer.text
    }

    @Test func `It says who, what and since when, and who takes care; no place`() async throws {
        try await Receivers.run { running, token, receiver, url in
            for name in ["dad", "mum"] {
                let put = try await Receivers.put(
                    running, name, #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
                #expect(put.status == 200)
            }
            let client = try await Receivers.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { receiver.requests.count >= 2 })
            let told = try Receivers.objects(receiver)
            let paths = Set(told.compactMap { $0["confirm"] as? String }).map {
                "/alert/" + ($0.split(separator: "/").last ?? "")
            }
            let since = try #require(told[0]["since"] as? Double)
            for path in paths {
                let page = try await Self.page(running, path)
                #expect(page.contains(">ann calls for help<") && page.contains(">Since "))
                #expect(page.contains("data-seconds=\"\(since)\"") && page.contains("<form"))
                #expect(!page.contains("48.1") && !page.contains("/s/"), "a place, or the link")
            }
            let confirmed = try await running.ask(.post, paths[0])
            let by = try #require(confirmed.object["confirmedBy"] as? String)
            for path in paths {
                let page = try await Self.page(running, path)
                #expect(page.contains("\(by) takes care of it") && !page.contains("<form"))
            }
            running.daemon.alerts.end([
                AlertCases.Key(session: Receivers.session, topic: .sos)
            ])
            #expect(try await Self.page(running, paths[1]).contains(">ann calls for help<"))
            await client.close()
        }
    }

    @Test func `An alert that nobody took care of says that it is over`() async throws {
        try await Receivers.run { running, token, receiver, url in
            _ = try await Receivers.put(
                running, "mum", #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
            let client = try await Receivers.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { !receiver.requests.isEmpty })
            let address = try #require(
                try Receivers.objects(receiver).first?["confirm"] as? String)
            let path = "/alert/" + (address.split(separator: "/").last ?? "")
            running.daemon.alerts.end([
                AlertCases.Key(session: Receivers.session, topic: .sos)
            ])
            let isOver = try await running.eventually(seconds: 60) {
                try await Self.page(running, path).contains(">It is over.<")
            }
            #expect(isOver)
            await client.close()
        }
    }

    @Test func `The alerts that are open at once have one link, which ends with the last of them`()
        async throws
    {
        try await Receivers.run { running, token, receiver, url in
            _ = try await Receivers.put(
                running, "mum", #"{"kind":"webhook","address":"\#(url)"}"#, token: token)
            let client = try await Receivers.callForHelp(running, token: token)
            #expect(try await running.eventually(seconds: 60) { !receiver.requests.isEmpty })
            let center = running.daemon.alerts
            let device = try #require(running.daemon.accounts.device(named: "ann")).id
            let keys = [AlertTopic.sos, .fall].map {
                AlertCases.Key(session: Receivers.session, topic: $0)
            }
            center.raise(keys[1], of: device, since: WallClock.now())
            #expect(
                try await running.eventually(seconds: 60) {
                    try Receivers.objects(receiver).contains { $0["alert"] as? String == "fall" }
                })
            let links = Set(try Receivers.objects(receiver).compactMap { $0["link"] as? String })
            let link = try #require(links.first?.split(separator: "/").last)
            #expect(links.count == 1)
            for (key, status) in zip(keys, [200, 404]) {
                center.end([key])
                #expect(
                    try await running.eventually(seconds: 60) {
                        try Receivers.objects(receiver).contains {
                            $0["phase"] as? String == "over"
                                && $0["alert"] as? String == key.topic.rawValue
                        }
                    })
                let path = "/v1/shares/\(link)/latest"
                #expect(
                    try await running.eventually(seconds: 60) {
                        // Links end after the receivers were told.
                        let isDone = center.state.withLock {
                            $0.telling.isEmpty && !$0.isEndingLinks
                        }
                        let answer = try await running.ask(.get, path)
                        return isDone && answer.status == status
                    })
            }
            await client.close()
        }
    }
}
