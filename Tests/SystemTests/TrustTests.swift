import Foundation
import Testing

extension SystemTests {
    /// Certificates, as the commands of a client see them.
    @Suite struct TrustTests {
        /// Runs `body` with a daemon whose listeners use TLS with its own certificate, `tls/…`.
        static func withTLS(
            _ body: (DaemonProcess, _ token: String, _ share: String) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let made = try await Program.run(["tls", "self-signed"], in: folder)
                #expect(made.end == .exited(0), "\(made.complaint)")
                let environment = [
                    "PULSECAST_DEVICE_TLS": "true", "PULSECAST_HTTP_TLS": "true",
                    "PULSECAST_TLS_CERTIFICATE": folder.file("tls/certificate.pem"),
                    "PULSECAST_TLS_PRIVATE_KEY": folder.file("tls/key.pem"),
                ]
                try await DaemonProcess.run(in: folder, environment: environment) { daemon in
                    let token = try folder.write(try await daemon.addDevice("a"), to: "token")
                    try await body(daemon, token, try await daemon.addShare(of: "a"))
                }
            }
        }

        @Test func `A certificate that nobody vouches for is named as the reason`() async throws {
            try await Self.withTLS { daemon, token, share in
                let run = try await Program.run(
                    ["simulate", "--output", "run.fit", "--minutes", "1"], in: daemon.folder)
                #expect(run.end == .exited(0), "\(run.complaint)")
                let devices = ["push", "run.fit", "--token-file", token, "--speed", "max", "--to"]
                let targets = [
                    "tcps://127.0.0.1:\(try daemon.port(of: "device"))",
                    "wss://127.0.0.1:\(try daemon.port(of: "http"))/v1/device",
                ]
                let viewer = [
                    "watch", "https://127.0.0.1:\(try daemon.port(of: "http"))/s/\(share)",
                ]
                for arguments in targets.map({ devices + [$0] }) + [viewer] {
                    let refused = try await Program.run(
                        arguments, in: daemon.folder, withinSeconds: 20)
                    #expect(refused.end == .exited(1), "\(arguments)")
                    #expect(refused.complaint.contains("not trusted"), "\(refused.complaint)")
                    #expect(refused.complaint.contains("--ca"), "\(refused.complaint)")
                }
                for target in targets {
                    let pushed = try await Program.run(
                        devices + [target, "--ca", "tls/certificate.pem"], in: daemon.folder)
                    #expect(pushed.end == .exited(0), "\(target): \(pushed.complaint)")
                }
            }
        }

        @Test func `A port without TLS is named as such`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try folder.write(try await daemon.addDevice("a"), to: "token")
                    let refused = try await Program.run(
                        [
                            "simulate", "--token-file", token, "--minutes", "1", "--to",
                            "tcps://127.0.0.1:\(try daemon.port(of: "device"))",
                        ], in: folder, withinSeconds: 20)
                    #expect(refused.end == .exited(1))
                    #expect(refused.complaint.contains("TLS"), "\(refused.complaint)")
                }
            }
        }
    }
}
