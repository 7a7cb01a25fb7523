import Client
import Foundation
import Testing

@Suite struct ServerCertificateTests {
    @Test(
        arguments: [
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], nil), (["rsa:2048"], 2048),
            (["rsa:3072"], 3072),
        ])
    func `An RSA key is known by its length`(key: [String], bits: Int?) throws {
        let folder = NSTemporaryDirectory() + "pulsecast-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-newkey"] + key + [
                "-nodes", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem",
                "-days", "2", "-subj", "/CN=localhost",
            ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(try ServerCertificate(file: folder + "/cert.pem").rsaBits == bits)
    }
}
