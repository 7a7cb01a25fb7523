import Cluster
import Foundation
import NATS
import Synchronization
import Testing

@Suite struct NATSSettingsTests {
    private static func settings(
        urls: [String] = ["nats://127.0.0.1:4222"], stream: String = "a", replicas: Int = 1,
        bytesMax: Int64 = 1 << 20, authoritiesFile: String? = nil
    ) -> NATSSettings {
        NATSSettings(
            urls: urls, stream: stream, replicas: replicas, bytesMax: bytesMax,
            authoritiesFile: authoritiesFile, clientName: "test")
    }

    @Test(
        .enabled(if: !NATSStream.isBuilt, "this build has --traits NATS"))
    func `A program without NATS says how to build one with it`() {
        let error = #expect(throws: NATSStreamError.notBuilt) {
            try NATSStream(Self.settings(), clock: { 0 })
        }
        #expect(error.map { "\($0)" }?.contains("--traits NATS") == true)
    }

    @Test(
        .enabled(if: NATSStream.isBuilt, "needs a build with --traits NATS"),
        arguments: [
            (settings(urls: []), "no URL"),
            (settings(urls: ["nats://127.0.0.1"]), "nats://127.0.0.1 is not nats://host:port"),
            (settings(urls: ["http://127.0.0.1:1"]), "http://127.0.0.1:1 is not"),
            (settings(urls: ["nats://ann:secret@host:1"]), "is not nats://host:port"),
            (settings(urls: ["nats://a:1,nats://b:1"]), "is not nats://host:port"),
            (settings(urls: ["nats://host:65536"]), "is not nats://host:port"),
            (settings(stream: "a.b"), "\"a.b\" needs letters, digits and - only"),
            (settings(stream: ""), "the stream's name \"\""),
            (settings(replicas: 0), "0 replicas"),
            (settings(replicas: 6), "6 replicas"),
            (settings(bytesMax: 1), "1 MiB or more"),
            (settings(authoritiesFile: "/nowhere.pem"), "/nowhere.pem"),
        ])
    func `A setting that cannot be used is told at the start`(
        settings: NATSSettings, words: String
    ) {
        let error = #expect(throws: NATSStreamError.self) {
            try NATSStream(settings, clock: { 0 })
        }
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(String(describing: error))")
    }
}

/// One server.
@Suite(.serialized, .enabled(if: NATSServer.isThere, Comment(rawValue: NATSServer.needs)))
struct NATSStreamTests {
    private static func isUnavailable(_ call: () throws -> Void) -> Bool {
        do {
            try call()
        } catch ClusterStreamError.unavailable {
            return true
        } catch {
            return false
        }
        return false
    }

    private static func withServer(
        more: String = "", _ body: (NATSServer, URL) throws -> Void
    ) throws {
        try NATSServer.with { folder in
            let server = try NATSServer("s", in: folder, more: more)
            try server.start()
            try body(server, folder)
        }
    }

    @Test func `Messages are read in the order in which they were appended`() throws {
        try Self.withServer { server, _ in
            let writer = try NATSStream.on([server.url])
            let reader = try NATSStream.on([server.url])
            let new = try writer.state()
            #expect(new.first == 1 && new.last == 0)
            #expect(try reader.state() == new)
            #expect(try reader.read(from: 1, waitingMilliseconds: 0) == [])
            let messages = (1...600).map {
                StreamMessage(sequence: UInt64($0), bytes: [UInt8(truncatingIfNeeded: $0), 0, 10])
            }
            for message in messages {
                let sequence = try writer.append(
                    message.bytes, after: message.sequence - 1, name: "m\(message.sequence)")
                #expect(sequence == message.sequence)
            }
            #expect(try reader.readAll(600) == messages)
            // From the middle, and again what was read already.
            #expect(try reader.readAll(201, from: 400) == Array(messages[399...]))
            #expect(try reader.read(from: 601, waitingMilliseconds: 10) == [])
            #expect(
                try writer.state()
                    == StreamState(identity: new.identity, first: 1, last: 600))
        }
    }

    @Test func `A message of the greatest size is kept, and a call reads some of them`() throws {
        try Self.withServer { server, _ in
            let stream = try NATSStream.on([server.url])
            _ = try stream.state()
            let bytes = (0..<ClusterLimits.messageBytesMax).map { UInt8(truncatingIfNeeded: $0) }
            for last in 0..<12 {
                _ = try stream.append(bytes, after: UInt64(last), name: "m\(last)")
            }
            let first = try stream.read(from: 1, waitingMilliseconds: 1000)
            #expect((1...5).contains(first.count))
            let rest = try stream.readAll(12 - first.count, from: UInt64(first.count) + 1)
            #expect((first + rest).map(\.sequence) == Array(1...12))
            #expect((first + rest).allSatisfy { $0.bytes == bytes })
        }
    }

    @Test func `A message after another last sequence is refused, and a repeated one is not`()
        throws
    {
        try Self.withServer { server, _ in
            let (one, other) = (try NATSStream.on([server.url]), try NATSStream.on([server.url]))
            _ = try one.state()
            #expect(try one.append([1], after: 0, name: "a") == 1)
            #expect(try one.append([2], after: 1, name: "b") == 2)
            for last in [0, 1] as [UInt64] {
                #expect(throws: ClusterStreamError.outranked(last: 2)) {
                    try other.append([3], after: last, name: "c")
                }
            }
            // The stream has lost messages, or its servers are not complete: nobody was faster.
            #expect(Self.isUnavailable { _ = try other.append([3], after: 7, name: "c") })
            // As after an answer that was lost, with and without later messages.
            #expect(try one.append([2], after: 1, name: "b") == 2)
            #expect(try one.append([1], after: 0, name: "a") == 1)
            #expect(try other.append([3], after: 2, name: "c") == 3)
            #expect(try one.readAll(3).map(\.bytes) == [[1], [2], [3]])
        }
    }

    @Test func `Removed messages are a gap, and sequences go on behind it`() throws {
        try Self.withServer { server, _ in
            let stream = try NATSStream.on([server.url])
            _ = try stream.state()
            for last in 0..<10 {
                _ = try stream.append([UInt8(last)], after: UInt64(last), name: "m\(last)")
            }
            #expect(try stream.read(from: 1, waitingMilliseconds: 1000).first?.sequence == 1)
            try stream.remove(below: 0)
            try stream.remove(below: 1)
            #expect(try stream.state().first == 1)
            try stream.remove(below: 8)
            #expect(try stream.state().first == 8)
            #expect(try stream.readAll(3).map(\.sequence) == [8, 9, 10])
            #expect(try stream.readAll(3, from: 5).map(\.sequence) == [8, 9, 10])
            // Beyond the end: what comes next is still message 11.
            try stream.remove(below: 1000)
            let empty = try stream.state()
            #expect(empty.first == 11 && empty.last == 10)
            #expect(try stream.append([11], after: 10, name: "m10") == 11)
            #expect(try stream.readAll(1).map(\.sequence) == [11])
        }
    }

    @Test func `A question goes to its node, and a node that is away is told`() throws {
        try Self.withServer { server, _ in
            let (here, there) = (try NATSStream.on([server.url]), try NATSStream.on([server.url]))
            #expect(throws: ClusterStreamError.nobody) { try here.ask(node: "b", [1]) }
            try there.answer(as: "b") { $0.reversed() }
            #expect(try here.ask(node: "b", [1, 2, 3]) == [3, 2, 1])
            #expect(try here.ask(node: "b", []) == [])
            let large = [UInt8](repeating: 7, count: ClusterLimits.messageBytesMax)
            #expect(try here.ask(node: "b", large) == large)
            #expect(throws: ClusterStreamError.nobody) { try here.ask(node: "c", [1]) }
            #expect(
                Self.isUnavailable {
                    _ = try here.ask(node: "*", [1])
                })
            there.stopAnswering()
            #expect(try Self.isNobody(here, "b"))
        }
    }

    /// Asks until nobody answers, for a bounded number of times.
    private static func isNobody(_ stream: NATSStream, _ node: String) throws -> Bool {
        for _ in 0..<100 {
            do {
                _ = try stream.ask(node: node, [])
            } catch ClusterStreamError.nobody {
                return true
            } catch ClusterStreamError.unavailable {
                // The servers had not heard yet that the answers have ended.
            }
            usleep(20_000)
        }
        return false
    }

    @Test func `Without a server all calls say so, and go on when it is back`() throws {
        try NATSServer.with { folder in
            let server = try NATSServer("s", in: folder)
            let stream = try NATSStream.on([server.url])
            #expect(Self.isUnavailable { _ = try stream.state() })
            try server.start()
            let before = try stream.patiently { s in try s.state() }
            try stream.answer(as: "a") { $0 }
            #expect(try stream.append([1], after: 0, name: "a") == 1)
            #expect(try stream.readAll(1).count == 1)
            server.kill()
            let calls: [(NATSStream) throws -> Void] = [
                { s in _ = try s.state() },
                { s in _ = try s.append([2], after: 1, name: "b") },
                { s in
                    _ = try s.read(from: 2, waitingMilliseconds: 10)
                },
                { s in try s.remove(below: 2) },
                { s in _ = try s.ask(node: "a", [1]) },
            ]
            for (index, call) in calls.enumerated() {
                #expect(
                    Self.isUnavailable { try call(stream) },
                    "call \(index)")
            }
            try server.start()
            let sequence = try stream.patiently { s in
                try s.append([2], after: 1, name: "b")
            }
            #expect(sequence == 2)
            #expect(try stream.readAll(1, from: 2).map(\.bytes) == [[2]])
            #expect(try stream.ask(node: "a", [9]) == [9])
            #expect(try stream.state().identity == before.identity)
        }
    }

    @Test func `A server that hangs is left, and its messages are read once it goes on`() throws {
        try Self.withServer { server, _ in
            let stream = try NATSStream.on([server.url])
            _ = try stream.state()
            #expect(try stream.append([1], after: 0, name: "a") == 1)
            server.signal(SIGSTOP)
            #expect(
                Self.isUnavailable {
                    _ = try stream.append([2], after: 1, name: "b")
                })
            server.signal(SIGCONT)
            let sequence = try stream.patiently { s in
                try s.append([2], after: 1, name: "b")
            }
            #expect(sequence == 2)
            #expect(try stream.readAll(2).map(\.bytes) == [[1], [2]])
        }
    }

    @Test func `The servers' certificate and the client's password are checked`() throws {
        try NATSServer.with { folder in
            try Self.makeCertificates(in: folder)
            let file = { (name: String) in folder.appending(path: name).path }
            let users = "authorization { user: ann, password: right }"
            let tls = { (name: String) in
                "tls { cert_file: \"\(file(name)).pem\", key_file: \"\(file(name)).key\" }"
            }
            let server = try NATSServer("s", in: folder, more: users + "\n" + tls("server"))
            let other = try NATSServer("o", in: folder, more: users + "\n" + tls("other"))
            try server.start()
            try other.start()
            let right = NATSSettings.Credentials.user("ann", password: "right")
            let good = try NATSStream.on(
                [server.url], credentials: right, authoritiesFile: file("ca.pem"))
            _ = try good.state()
            #expect(try good.append([1], after: 0, name: "a") == 1)
            #expect(try good.readAll(1).map(\.bytes) == [[1]])
            let secure = "tls://127.0.0.1:\(server.port)"
            for (url, credentials, authorities) in [
                (server.url, .user("ann", password: "wrong"), "ca.pem"),
                (server.url, .none, "ca.pem"), (server.url, .token("right"), "ca.pem"),
                (server.url, right, "stranger.pem"), (other.url, right, "ca.pem"),
                (secure, right, nil),
            ] as [(String, NATSSettings.Credentials, String?)] {
                let stream = try NATSStream.on(
                    [url], credentials: credentials,
                    authoritiesFile: authorities.map { file($0) })
                #expect(
                    Self.isUnavailable {
                        _ = try stream.state()
                    }, "\(url) \(credentials) \(authorities ?? "")")
            }
        }
    }

    /// Makes two authorities, and certificates of the first for 127.0.0.1 and for another name.
    private static func makeCertificates(in folder: URL) throws {
        let request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
        let curve = ["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        for name in ["ca", "stranger"] {
            try NATSServer.run(
                "/usr/bin/env",
                request + curve + [
                    "-keyout", "\(name).key", "-out", "\(name).pem", "-subj", "/CN=\(name)",
                ], in: folder)
        }
        for (name, address) in [("server", "IP:127.0.0.1"), ("other", "DNS:elsewhere.example")] {
            try NATSServer.run(
                "/usr/bin/env",
                request + curve + [
                    "-keyout", "\(name).key", "-out", "\(name).pem", "-subj", "/CN=\(name)",
                    "-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=\(address)",
                    "-addext", "basicConstraints=critical,CA:FALSE",
                ], in: folder)
        }
    }
}
