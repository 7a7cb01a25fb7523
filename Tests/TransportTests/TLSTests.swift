import Client
import Foundation
import Glibc
import SensorModel
import Sharing
import Testing
import Transport
import WireFormat

@Suite(.serialized) struct TLSTests {
    /// Creates a certificate for `name` and its key in a folder, with the system's openssl.
    private static func certificate(_ name: String, in folder: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem", "-days", "2",
            "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        await RawSocket.blocking { process.waitUntilExit() }
        #expect(process.terminationStatus == 0)
    }

    static func withIdentity(
        _ body: (TLSIdentity, _ folder: String) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "pulsecast-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try await certificate("first", in: folder)
        let identity = try TLSIdentity(
            certificatePath: folder + "/cert.pem", keyPath: folder + "/key.pem")
        try await body(identity, folder)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Webhooks wait for the receiver's answer, but only for a limited time.
    @Test func `A server that never shakes hands is given up after ten seconds`() async throws {
        let silent = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var bytes = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(silent, $0, bytes)
                listen(silent, 8)
                unsafe getsockname(silent, $0, &bytes)
            }
        }
        let port = UInt16(bigEndian: name.sin_port)
        do {
            let address = try ServerAddress("https://127.0.0.1:\(port)/hook")
            let answer = try await HTTPClient(address).send(.post, "/hook", body: [1])
            Issue.record("an answer: \(answer)")
        } catch {
            #expect("\(error)".hasSuffix("no answer"))
        }
    }

    @Test func `Devices, viewers and pages are served over TLS`() async throws {
        try await Self.withIdentity { identity, folder in
            let tls = ClientTLS(trustedCertificatesPath: folder + "/cert.pem")
            try await withServer(identity: identity) { daemon, device, http in
                let client = try await DeviceClient.connect(
                    to: try ServerAddress("tcps://\(device)"), tls: tls)
                try await client.send(ClientTests.hello)
                var answers = client.answers.makeAsyncIterator()
                #expect(try await answers.next() == .welcome(acked: .none, share: nil))

                let viewer = try await ViewerClient.connect(
                    to: try ServerAddress("wss://\(http)/v1/shares/known/live"), tls: tls)
                var events = viewer.events.makeAsyncIterator()
                #expect(try await events.next()?.contains("snapshot") == true)
                let update = FakeDaemon.marker(2, String(repeating: "m", count: 9_000))
                for number in 0..<200 {
                    daemon.push(.feed(FeedKey(FakeDaemon.share), update))
                    if number % 10 == 9 {
                        for _ in 0..<10 { #expect(try await events.next()?.count ?? 0 > 9_000) }
                    }
                }
                let page = HTTPClient(try ServerAddress("https://\(http)"), tls: tls)
                #expect(try await page.send(.get, "/hello").status == 200)
                await client.close()
                await viewer.close()
            }
        }
    }

    @Test func `A new certificate is shown to new connections`() async throws {
        try await Self.withIdentity { identity, folder in
            try await withServer(identity: identity) { _, _, http in
                let address = try ServerAddress("https://\(http)")
                let old = ClientTLS(trustedCertificatesPath: folder + "/cert.pem")
                #expect(try await HTTPClient(address, tls: old).send(.get, "/hello").status == 200)
                try FileManager.default.moveItem(
                    atPath: folder + "/cert.pem", toPath: folder + "/old.pem")
                try await Self.certificate("second", in: folder)
                try identity.reload(
                    certificatePath: folder + "/cert.pem", keyPath: folder + "/key.pem")
                let fresh = ClientTLS(trustedCertificatesPath: folder + "/cert.pem")
                #expect(
                    try await HTTPClient(address, tls: fresh).send(.get, "/hello").status == 200)
                let stale = ClientTLS(trustedCertificatesPath: folder + "/old.pem")
                await #expect(throws: ClientError.self) {
                    _ = try await HTTPClient(address, tls: stale).send(.get, "/hello")
                }
            }
        }
    }

    @Test func `A certificate that is not there is said in a sentence`() {
        #expect(throws: TransportError.self) {
            _ = try TLSIdentity(certificatePath: "/none/cert.pem", keyPath: "/none/key.pem")
        }
    }
}
