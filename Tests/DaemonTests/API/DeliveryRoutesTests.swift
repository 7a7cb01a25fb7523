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

/// Finished runs that are delivered where their owner keeps runs.
@Suite(.serialized) struct DeliveryRoutesTests {
    private static let session = RunningDaemon.session(0)

    /// Runs `body` with a daemon that trusts this machine, and a server that takes files.
    private static func run(
        statuses: [Int] = [], _ change: @escaping (inout Configuration) -> Void = { _ in },
        _ body: (RunningDaemon, _ token: String, ReceivingServer, _ url: String) async throws
            -> Void
    ) async throws {
        let server = ReceivingServer(statuses: statuses)
        try await server.run { url in
            try await RunningDaemon.run({
                $0.alerts.trustedHosts = [ReceivingServer.place(of: url)]
                change(&$0)
            }) { running in
                try await body(running, try running.addDevice("ann"), server, url)
            }
        }
    }

    /// Sends heart rates over two minutes up to now, and the end of the run.
    private static func finishRun(
        _ running: RunningDaemon, token: String, session: SessionID = session, seconds: Int = 120,
        isStopped: Bool = true
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let now = WallClock.now().secondsSince1970
        var lines = stride(from: -seconds, to: 0, by: 10).enumerated().map { index, offset in
            #"{"type":"heartRate","heartRate":\#(120 + index),"timestamp":\#(now + Double(offset)),"#
                + #""seq":\#(index + 1)}"#
        }
        if isStopped {
            let number = lines.count + 1
            lines.append(
                #"{"type":"control","action":"stop","timestamp":\#(now),"seq":\#(number)}"#)
        }
        // At once, as a watch that was out of reach: the end is told before the log has all of it.
        try await client.send(text: Array(lines.joined(separator: "\n").utf8))
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= lines.count { break }
        }
        await client.close()
    }

    private static func deliveries(
        _ running: RunningDaemon, token: String
    ) async throws -> [[String: Any]] {
        try await running.askMe(.get, "/deliveries", token: token).list
    }

    private static func rows(_ running: RunningDaemon) throws -> [Delivery] {
        let device = try running.daemon.administration.known("ann").id
        return try running.daemon.accounts.registry.deliveries(of: device, newest: 10)
    }

    /// Makes a delivery one of some minutes ago.
    private static func age(_ delivery: Delivery, _ running: RunningDaemon) throws {
        var delivery = delivery
        delivery.changedAt = delivery.changedAt.advanced(bySeconds: -120)
        try running.daemon.accounts.registry.putOutcome(delivery)
    }

    /// The file in a form's body.
    private static func file(in request: HTTPRequest) throws -> [UInt8] {
        let type = try #require(request.fields["content-type"])
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        let text = Data(request.body)
        let end = try #require(text.range(of: Data("\r\n--\(boundary)--\r\n".utf8)))
        let head = try #require(text.range(of: Data("application/vnd.ant.fit\r\n\r\n".utf8)))
        #expect(end.upperBound == text.endIndex)
        return Array(text[head.upperBound..<end.lowerBound])
    }

    @Test func `A run that ends is delivered once, as the file that its owner would export`()
        async throws
    {
        try await Self.run { running, token, server, url in
            let put = try await running.askMe(
                .put, "/targets/diary",
                #"{"kind":"webhook","address":"\#(url)","secret":"Jefe"}"#, token: token)
            #expect(put.status == 200 && !put.text.contains("Jefe"), "\(put.text)")
            try await Self.finishRun(running, token: token)
            #expect(
                try await running.eventually(seconds: 60) {
                    try await Self.deliveries(running, token: token).first?["state"] as? String
                        == "delivered"
                })
            let request = try #require(server.requests.first)
            let exported = try await running.askMe(
                .get, "/sessions/\(Self.session)/export?format=fit", token: token)
            #expect(try Self.file(in: request) == exported.body && exported.body.count > 100)
            let code = "sha256=" + MessageCode.signature(of: request.body, key: Array("Jefe".utf8))
            #expect(request.fields["x-pulsecast-signature"] == code)
            let row = try await Self.deliveries(running, token: token)[0]
            #expect(row["hasGoneOn"] as? Bool == false && row["tries"] as? Int == 1)
            // A second end is no second delivery.
            let center = running.daemon.deliveries
            let device = try running.daemon.administration.known("ann").id
            center.take(
                StreamEvent(deviceTime: WallClock.now(), kind: .ended), of: Self.session,
                from: device)
            #expect(
                try await running.eventually { center.state.withLock { $0.ended.isEmpty } })
            #expect(try await Self.deliveries(running, token: token).count == 1)
            let early = try await running.askMe(
                .post, "/deliveries", #"{"session":"latest","target":"Diary"}"#,
                token: token)
            #expect(early.status == 409, "\(early.text)")
            try Self.age(try #require(try Self.rows(running).first), running)
            #expect(server.requests.count == 1)
            let again = try await running.askMe(
                .post, "/deliveries", #"{"session":"latest","target":"Diary"}"#,
                token: token)
            #expect(again.status == 202, "\(again.text)")
            #expect(try await running.eventually(seconds: 60) { server.requests.count == 2 })
            let names = server.requests.compactMap { $0.fields["x-pulsecast-delivery"] }
            #expect(Set(names).count == 2)
        }
    }

    @Test func `A server that fails is tried again, after a restart too, with the same name`()
        async throws
    {
        let server = ReceivingServer(statuses: [503])
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await server.run { url in
            let trust: (inout Configuration) -> Void = {
                $0.alerts.trustedHosts = [ReceivingServer.place(of: url)]
            }
            var token = ""
            try await RunningDaemon.again(in: folder, trust) { running in
                token = try running.addDevice("ann")
                _ = try await running.askMe(
                    .put, "/targets/diary", #"{"kind":"webhook","address":"\#(url)"}"#,
                    token: token)
                try await Self.finishRun(running, token: token)
                #expect(
                    try await running.eventually(seconds: 60) {
                        let row = try await Self.deliveries(running, token: token).first
                        return (row?["reason"] as? String)?.contains("503") == true
                    })
                let row = try await Self.deliveries(running, token: token)[0]
                #expect(row["state"] as? String == "waiting" && row["dueAt"] is Double)
                // Its time comes while the daemon is down.
                let registry = running.daemon.accounts.registry
                var waiting = try #require(try registry.waitingDeliveries(max: 1).first)
                waiting.dueAt = WallClock.now()
                try registry.putOutcome(waiting)
            }
            try await RunningDaemon.again(in: folder, trust) { running in
                #expect(
                    try await running.eventually(seconds: 60) {
                        try await Self.deliveries(running, token: token)[0]["state"] as? String
                            == "delivered"
                    })
                #expect(try await Self.deliveries(running, token: token)[0]["tries"] as? Int == 2)
                #expect(server.requests.count == 2)
                let names = server.requests.compactMap { $0.fields["x-pulsecast-delivery"] }
                #expect(names.count == 2 && Set(names).count == 1)
                let files = try server.requests.map(Self.file)
                #expect(files[0] == files[1])
            }
        }
    }

    @Test func `A run whose end was missed is delivered after a start, an older one is not`()
        async throws
    {
        let server = ReceivingServer()
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await server.run { url in
            let trust: (inout Configuration) -> Void = {
                $0.alerts.trustedHosts = [ReceivingServer.place(of: url)]
            }
            var token = ""
            try await RunningDaemon.again(in: folder, trust) { running in
                token = try running.addDevice("ann")
                try await Self.finishRun(running, token: token)
                _ = try await running.askMe(
                    .put, "/targets/diary", #"{"kind":"webhook","address":"\#(url)"}"#,
                    token: token)
                try await Self.finishRun(
                    running, token: token, session: RunningDaemon.session(1), isStopped: false)
                #expect(try await Self.deliveries(running, token: token).isEmpty)
            }
            try await RunningDaemon.again(
                in: folder,
                {
                    trust(&$0)
                    // What was under way is over by now.
                    $0.ingest.silenceSeconds = 0.5
                }
            ) { running in
                #expect(
                    try await running.eventually(seconds: 60) {
                        let rows = try await Self.deliveries(running, token: token)
                        return rows.first?["state"] as? String == "delivered"
                    })
                let rows = try await Self.deliveries(running, token: token)
                #expect(
                    rows.compactMap { $0["session"] as? String } == ["\(RunningDaemon.session(1))"])
            }
        }
    }

    @Test func `Nothing is delivered of what was erased, nor to what was removed`() async throws {
        try await Self.run(statuses: [503, 503]) { running, token, server, url in
            for name in ["diary", "files"] {
                _ = try await running.askMe(
                    .put, "/targets/\(name)", #"{"kind":"webhook","address":"\#(url)"}"#,
                    token: token)
            }
            try await Self.finishRun(running, token: token)
            #expect(try await running.eventually(seconds: 60) { server.requests.count == 2 })
            #expect(
                try await running.askMe(.delete, "/targets/files", token: token).status == 204)
            #expect(try await Self.deliveries(running, token: token).count == 1)
            let erased = try await running.askMe(
                .delete, "/sessions/\(Self.session)", token: token)
            #expect(erased.status == 200)
            #expect(try await Self.deliveries(running, token: token).isEmpty)
            #expect(try running.daemon.accounts.registry.waitingDeliveries(max: 9).isEmpty)
            let center = running.daemon.deliveries
            let later = WallClock.now().advanced(bySeconds: 1e6)
            // Nothing of it is under way, and nothing waits.
            #expect(
                try await running.eventually {
                    center.state.withLock { state in
                        var queue = state.queue
                        return queue.next(at: later) == nil && queue.isIdle
                    }
                })
        }
    }

    @Test func `Runs that many devices send at once are all delivered, whole`() async throws {
        try await Self.run { running, _, server, url in
            let tokens = try (0..<12).map { try running.addDevice("runner \($0)") }
            for token in tokens {
                let put = try await running.askMe(
                    .put, "/targets/diary", #"{"kind":"webhook","address":"\#(url)"}"#,
                    token: token)
                #expect(put.status == 200)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, token) in tokens.enumerated() {
                    group.addTask {
                        try await Self.finishRun(
                            running, token: token, session: RunningDaemon.session(number))
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try await running.eventually(seconds: 90) {
                    server.requests.count == tokens.count
                }, "\(server.requests.count)")
            let sizes = Set(try server.requests.map { try Self.file(in: $0).count })
            #expect(sizes.count == 1, "\(sizes)")
        }
    }

    @Test func `A changed target gets what was on its way to the earlier address`() async throws {
        try await Self.run(statuses: [503]) { running, token, server, url in
            func put(_ path: String) async throws {
                let answer = try await running.askMe(
                    .put, "/targets/diary",
                    #"{"kind":"webhook","address":"\#(url)\#(path)"}"#, token: token)
                #expect(answer.status == 200)
            }
            try await put("/old")
            try await Self.finishRun(running, token: token)
            #expect(try await running.eventually(seconds: 60) { server.requests.count == 1 })
            #expect(
                try await running.eventually { try Self.rows(running).first?.reason != nil })
            try await put("/new")
            var waiting = try #require(try Self.rows(running).first)
            #expect(waiting.state == .waiting)
            waiting.dueAt = WallClock.now()
            try running.daemon.accounts.registry.putOutcome(waiting)
            #expect(try await running.eventually(seconds: 60) { server.requests.count == 2 })
            #expect(server.requests.map(\.path) == ["/hook/old", "/hook/new"])
        }
    }

    @Test func `A server that the daemon's owner trusts no more gets nothing`() async throws {
        let server = ReceivingServer(statuses: [503])
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await server.run { url in
            var token = ""
            try await RunningDaemon.again(
                in: folder, { $0.alerts.trustedHosts = [ReceivingServer.place(of: url)] }
            ) { running in
                token = try running.addDevice("ann")
                _ = try await running.askMe(
                    .put, "/targets/diary",
                    #"{"kind":"webhook","address":"\#(url)","secret":"Jefe"}"#, token: token)
                try await Self.finishRun(running, token: token)
                let hasFailed = try await running.eventually(seconds: 60) {
                    try Self.rows(running).first?.reason?.contains("503") == true
                }
                #expect(hasFailed)
                var waiting = try #require(try Self.rows(running).first)
                waiting.dueAt = WallClock.now()
                try running.daemon.accounts.registry.putOutcome(waiting)
            }
            try await RunningDaemon.again(in: folder) { running in
                let isRefused = try await running.eventually(seconds: 60) {
                    try Self.rows(running).first?.reason?.contains("not allowed") == true
                }
                #expect(isRefused)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `A folder gets the file whole, in a folder of the device`() async throws {
        let folder = RunningDaemon.newFolder()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await Self.run({ $0.deliveries.folder = folder }) { running, token, _, _ in
            let put = try await running.askMe(
                .put, "/targets/files", #"{"kind":"folder"}"#, token: token)
            #expect(put.status == 200, "\(put.text)")
            try await Self.finishRun(running, token: token)
            #expect(
                try await running.eventually(seconds: 60) {
                    try await Self.deliveries(running, token: token).first?["state"] as? String
                        == "delivered"
                })
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/ann")
            let name = try #require(names.first)
            #expect(names.count == 1 && name.hasSuffix("Z-\(Self.session).fit"))
            let exported = try await running.askMe(
                .get, "/sessions/\(Self.session)/export?format=fit", token: token)
            #expect(
                FileManager.default.contents(atPath: "\(folder)/ann/\(name)")
                    == Data(exported.body))
        }
    }
}
