import Client
import Foundation
import Glibc
import SensorModel
import Testing
import Transport

@Suite(.serialized) struct ListenerTests {
    private func server(
        _ daemon: FakeDaemon, _ name: String, _ address: ListenAddress
    ) -> TransportServer {
        TransportServer(
            loops: daemon.loops,
            listeners: [
                ListenerConfiguration(
                    name: name, address: address, service: .http(TestRoutes.router))
            ], devices: daemon, viewers: daemon)
    }

    @Test func `The admin socket is its owner's alone`() async throws {
        let path = NSTemporaryDirectory() + "pulsecast-\(UUID().uuidString).sock"
        let daemon = FakeDaemon()
        let server = server(daemon, "admin", .unixSocket(path: path))
        #expect(try await server.start() == ["admin": path])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let answer = try await AdminClient(socketPath: path).send(.post, "/size", json: [1, 2])
        #expect(answer.body == Array("2".utf8))
        let hello = try await AdminClient(socketPath: path).send(.get, "/hello")
        #expect(String(decoding: hello.body, as: UTF8.self) == "hello you from unix")
        await server.stopListening()
        await server.closeAll()
        await daemon.stop()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A listening socket of another process, as systemd passes it.
    private static func openedElsewhere() -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        listen(descriptor, 16)
        return descriptor
    }

    @Test func `A socket that systemd opened is taken over`() async throws {
        let descriptor = Self.openedElsewhere()
        let daemon = FakeDaemon()
        let server = server(daemon, "http", .descriptor(descriptor))
        let address = try await server.start()["http"] ?? ""
        let client = HTTPClient(try ServerAddress("http://\(address)"))
        #expect(try await client.send(.get, "/hello").status == 200)
        await server.stopListening()
        await server.closeAll()
        await daemon.stop()
    }

    /// Bytes that the kernel buffers for connections to a port (`/proc/net/tcp`): unsent, and
    /// unread by the server.
    private static func kept(of port: UInt16) throws -> (unsent: Int, unread: Int) {
        let suffix = ":" + String(port, radix: 16, uppercase: true)
        // Read to the end, because `String(contentsOfFile:)` returns only the first part of a table
        // with thousands of closing connections.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
        var table = Data()
        while let part = try file.read(upToCount: 1 << 16), !part.isEmpty { table += part }
        return String(decoding: table, as: UTF8.self)
            .components(separatedBy: "\n").filter { $0.contains(suffix + " ") }
            .map { $0.split(separator: " ") }
            // Established ones: sl, local address, remote address, state, tx:rx.
            .filter { $0[1].hasSuffix(suffix) && $0[3] == "01" }
            .reduce((0, 0)) { sum, fields in
                let bytes = fields[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
                return (sum.0 + bytes[0], sum.1 + bytes[1])
            }
    }

    /// - Returns: The maximum of `bytes` once it is stable for 0.2 s, or after ten seconds.
    private static func settled(_ bytes: () throws -> Int) async throws -> Int {
        var (most, last, rounds, tries) = (0, 0, 0, 0)
        // The daemon may disconnect a stalled reader meanwhile.
        while rounds < 20, tries < 1000 {
            try await Task.sleep(for: .milliseconds(10))
            let now = try bytes()
            rounds = now == last && most > 0 ? rounds + 1 : 0
            (most, last, tries) = (max(most, now), now, tries + 1)
        }
        #expect(most > 0, "nothing was kept, so nothing was tried")
        return most
    }

    @Test(arguments: [false, true])
    func `The kernel keeps little that is not read, on a socket of systemd's, too`(
        isElsewhere: Bool
    ) async throws {
        let address =
            isElsewhere
            ? ListenAddress.descriptor(Self.openedElsewhere()) : .tcp(host: "127.0.0.1", port: 0)
        let daemon = FakeDaemon()
        let server = server(daemon, "http", address)
        let text = try await server.start()["http"] ?? ""
        let port = UInt16(try ServerAddress("http://\(text)").port)
        let peer = try RawSocket(text, receiveBufferBytes: 4096)
        await peer.send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        let unsent = try await Self.settled { try Self.kept(of: port).unsent }
        #expect(unsent < 256 << 10)
        // The server stops reading while its answer is not read.
        let flood = [UInt8](repeating: 0x20, count: 1 << 20)
        let unread = try await Self.settled {
            _ = peer.sendNow(flood)
            return try Self.kept(of: port).unread
        }
        #expect(unread < 256 << 10)
        peer.close()
        await server.stopListening()
        await server.closeAll(withinSeconds: 1)
        await daemon.stop()
    }

    @Test func `A port that is taken is said in a sentence`() async throws {
        let daemon = FakeDaemon()
        let first = server(daemon, "http", .tcp(host: "127.0.0.1", port: 0))
        let address = try await first.start()["http"] ?? ""
        let port = try ServerAddress("http://\(address)").port
        let second = server(daemon, "http", .tcp(host: "127.0.0.1", port: port))
        do {
            _ = try await second.start()
            Issue.record("opened twice")
        } catch {
            #expect(
                "\(error)"
                    == "the http listener cannot open 127.0.0.1:\(port): something else listens"
                    + " there already")
        }
        await first.stopListening()
        await daemon.stop()
    }
}
