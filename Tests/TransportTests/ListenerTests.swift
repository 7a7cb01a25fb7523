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

    @Test func `A socket that systemd opened is taken over`() async throws {
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
        let daemon = FakeDaemon()
        let server = server(daemon, "http", .descriptor(descriptor))
        let address = try await server.start()["http"] ?? ""
        let client = HTTPClient(try ServerAddress("http://\(address)"))
        #expect(try await client.send(.get, "/hello").status == 200)
        await server.stopListening()
        await server.closeAll()
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
