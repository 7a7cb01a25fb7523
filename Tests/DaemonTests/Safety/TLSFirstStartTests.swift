import Client
import Foundation
import Runtime
import SensorModel
import Testing

@testable import Daemon
import Transport

@Suite(.serialized) struct TLSFirstStartTests {
    @Test func `A self-signed certificate serves both doors, and its key is nobody else's`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "pc-tls-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try SelfSignedFiles(
            in: folder, names: ["localhost", "127.0.0.1", "::1"], days: 30)
        let attributes = try FileManager.default.attributesOfItem(atPath: files.keyPath)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(throws: SelfSignedFilesError.exists(path: files.certificatePath)) {
            _ = try SelfSignedFiles(in: folder, names: ["localhost"], days: 30)
        }
        try await RunningDaemon.run {
            $0.device.tls = true
            $0.httpListener.tls = true
            $0.certificateFile = files.certificatePath
            $0.privateKeyFile = files.keyPath
        } _: { running in
            let tls = ClientTLS(trustedCertificatesPath: files.certificatePath)
            var address = try running.address(.http)
            address.scheme = .https
            #expect(try await HTTPClient(address, tls: tls).send(.get, "/").status == 200)
            // A client without the certificate does not trust the server.
            await #expect(throws: ClientError.self) {
                _ = try await HTTPClient(address).send(.get, "/")
            }
            running.daemon.reloadCertificate()
            #expect(try await HTTPClient(address, tls: tls).send(.get, "/").status == 200)
        }
    }

    @Test(arguments: [
        ("127.0.0.1:7480", false), ("[::1]:7480", false), ("0.0.0.0:7480", true),
        ("[::]:7480", true), ("192.0.2.1:7420", true), ("/run/pulsecast/admin.sock", false),
    ])
    func `A door is open beyond this machine by its socket's own address`(
        address: String, isOpen: Bool
    ) {
        #expect(PulsecastDaemon.isBeyondLoopback(address) == isOpen)
    }
}
