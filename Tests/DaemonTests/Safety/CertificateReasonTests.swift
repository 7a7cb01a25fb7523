import Client
import Foundation
import Runtime
import Secrets
import SensorModel
import Testing

/// What a client that was told to trust a certificate says of it.
@Suite struct CertificateReasonTests {
    /// - Returns: The error of a client that trusts the daemon's certificate.
    private static func complaint(
        names: [String], from: Timestamp, days: Int
    ) async throws -> String {
        let folder = RunningDaemon.newFolder()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var generator = SystemRandomNumberGenerator()
        let made = try SelfSignedCertificate(
            names: names, from: from, days: days, using: &generator)
        let (certificate, key) = (folder + "/certificate.pem", folder + "/key.pem")
        try made.certificatePEM.write(toFile: certificate, atomically: true, encoding: .utf8)
        try made.keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
        var complaint = ""
        try await RunningDaemon.run({
            $0.device.tls = true
            $0.certificateFile = certificate
            $0.privateKeyFile = key
        }) { running in
            let port = running.addresses["device"]?.split(separator: ":").last.flatMap { Int($0) }
            let address = ServerAddress(
                scheme: .tcps, host: "127.0.0.1", port: try #require(port))
            do {
                let tls = ClientTLS(trustedCertificatesPath: certificate)
                await (try DeviceClient.connect(to: address, tls: tls)).close()
            } catch { complaint = "\(error)" }
        }
        return complaint
    }

    @Test(arguments: [
        (["127.0.0.1"], -30.0, 20, "it expired on 2", "renew it"),
        (["127.0.0.1"], 10, 20, "it is not valid before 2", "clocks"),
        (
            ["run.example.org", "::1"], -1, 20,
            "it is for run.example.org, 0:0:0:0:0:0:0:1, not for 127.0.0.1", "connect to a name"
        ),
    ])
    func `The true reason is named, and not the file that was given already`(
        names: [String], days: Double, validDays: Int, reason: String, advice: String
    ) async throws {
        let from = WallClock.now().advanced(bySeconds: days * 86_400)
        let said = try await Self.complaint(names: names, from: from, days: validDays)
        #expect(said.contains(reason) && said.contains(advice), "\(said)")
        #expect(!said.contains("--ca"), "\(said)")
    }

    @Test func `A sound certificate that was given is trusted`() async throws {
        let from = WallClock.now().advanced(bySeconds: -86_400)
        #expect(try await Self.complaint(names: ["127.0.0.1"], from: from, days: 20) == "")
    }
}
