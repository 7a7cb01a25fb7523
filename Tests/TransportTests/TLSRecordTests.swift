import Foundation
import SensorModel
import Sharing
import Synchronization
import Testing
import Transport

/// TLS records that the daemon makes itself after an upgrade, verified with openssl's client.
@Suite(.serialized) struct TLSRecordTests {
    /// openssl's client, which sends typed lines, except its commands: lines that begin with `K`,
    /// `k` or `Q`.
    private final class OpenSSLClient: Sendable {
        private let process = Process()
        private let input = Pipe()
        private let received = Mutex("")

        init(_ address: String, _ options: [String]) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                ["openssl", "s_client", "-connect", address, "-crlf"] + options
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            output.fileHandleForReading.readabilityHandler = { [weak self] handle in
                let text = String(decoding: handle.availableData, as: UTF8.self)
                self?.received.withLock { $0 += text }
            }
            try process.run()
        }

        var text: String { received.withLock { $0 } }
        var isRunning: Bool { process.isRunning }

        func type(_ lines: String...) throws {
            try input.fileHandleForWriting.write(
                contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        }

        func end() {
            process.terminate()
        }
    }

    private static let stream = "/v1/shares/known/events?rate=20"

    private static func update(_ number: Int, _ padding: Int = 0) -> OutboundMessage {
        .feed(
            FeedKey(FakeDaemon.share),
            FakeDaemon.marker(
                UInt64(number), "n\(number) " + String(repeating: "x", count: padding)))
    }

    /// Sends markers, a few at once, and waits until openssl has printed the last one.
    private static func show(
        _ numbers: Range<Int>, padding: Int = 0, _ daemon: FakeDaemon, to client: OpenSSLClient
    ) async {
        // A viewer may be owed 256 KiB, and openssl reads late on a busy machine.
        var rest = numbers
        while !rest.isEmpty {
            let some = rest.prefix(5)
            rest = some.upperBound..<rest.upperBound
            for number in some { daemon.push(update(number, padding)) }
            await eventually("all markers up to \(some.upperBound - 1)") {
                client.text.contains("n\(some.upperBound - 1) ")
            }
        }
    }

    private static func numbers(in text: String) -> [Int] {
        text.matches(of: #/n(\d+) /#).compactMap { Int($0.1) }
    }

    @Test(
        arguments: [
            ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
            ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
            ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
            // The client offers another group first, so the daemon sends a HelloRetryRequest.
            ["-tls1_3", "-groups", "P-521:P-256"], ["-tls1_2"],
        ])
    func `Every suite shows every event once and in order, with new keys in between`(
        options: [String]
    ) async throws {
        try await TLSTests.withIdentity { identity, _ in
            try await withServer(identity: identity) { daemon, _, http in
                let client = try OpenSSLClient("\(http)", options)
                try client.type("GET \(Self.stream) HTTP/1.1", "Host: x", "")
                await eventually("a snapshot") { client.text.contains("snapshot") }
                await Self.show(2..<30, daemon, to: client)
                let takeovers = daemon.loops.counters.tlsTakeovers.load(ordering: .relaxed)
                #expect(takeovers == (options.first == "-tls1_3" ? 1 : 0))
                if options.first == "-tls1_3" {
                    // openssl updates its key and requests an update of the daemon's.
                    try client.type("K")
                    await Self.show(30..<60, daemon, to: client)
                    try client.type("k")
                }
                await Self.show(60..<90, padding: 20_000, daemon, to: client)
                let shown = Self.numbers(in: client.text)
                #expect(shown == shown.sorted() && Set(shown).count == shown.count)
                #expect(shown.count == (options.first == "-tls1_3" ? 88 : 58))
                daemon.push(.feedEnded(FeedKey(FakeDaemon.share), .shareEnded))
                await eventually("openssl is told that it is over") { !client.isRunning }
                client.end()
            }
        }
    }

    @Test func `A session is resumed, and its records go on`() async throws {
        try await TLSTests.withIdentity { identity, folder in
            try await withServer(identity: identity) { daemon, _, http in
                let ticket = folder + "/session.pem"
                for options in [["-sess_out", ticket], ["-sess_in", ticket]] {
                    let client = try OpenSSLClient("\(http)", ["-tls1_3"] + options)
                    try client.type("GET \(Self.stream) HTTP/1.1", "Host: x", "")
                    await eventually("a snapshot") { client.text.contains("snapshot") }
                    await Self.show(2..<20, daemon, to: client)
                    #expect(client.text.contains("Reused, ") == (options[0] == "-sess_in"))
                    try client.type("Q")
                    await eventually("it is gone") { !client.isRunning }
                }
            }
        }
    }

    @Test func `A peer that does nothing but change keys is let go`() async throws {
        try await TLSTests.withIdentity { identity, _ in
            try await withServer(identity: identity) { daemon, _, http in
                let client = try OpenSSLClient("\(http)", ["-tls1_3"])
                try client.type("GET \(Self.stream) HTTP/1.1", "Host: x", "")
                await eventually("a snapshot") { client.text.contains("snapshot") }
                // openssl executes one command for each read.
                for _ in 0..<400 where client.isRunning {
                    try? client.type("K")
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(!client.isRunning)
                client.end()
            }
        }
    }
}
