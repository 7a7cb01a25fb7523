import Foundation
import Testing

extension SystemTests {
    /// The example that renews a certificate of Tailscale, with a `tailscale` that makes its own.
    @Suite struct TailscaleTests {
        /// Programs that the script finds in place of the machine's.
        private static func stubs(in folder: TemporaryFolder) throws -> [String: String] {
            let scripts = [
                // As tailscale does: cert --cert-file FILE --key-file FILE NAME
                "tailscale": """
                [ "$1 $2 $4" = "cert --cert-file --key-file" ] || exit 1
                rm -rf made && "$PROGRAM" tls self-signed --name "$6" --folder made >/dev/null
                mv made/certificate.pem "$3" && mv made/key.pem "$5"
                """,
                "systemctl": """
                [ "$*" = "reload pulsecast" ] || exit 1
                [ ! -f pid ] || kill -HUP "$(cat pid)"
                """,
                // This machine need not have the group.
                "chgrp": #"[ "$1" = pulsecast ]"#,
            ]
            let bin = folder.file("bin")
            try FileManager.default.createDirectory(
                atPath: bin, withIntermediateDirectories: true)
            for (name, script) in scripts {
                let path = try folder.write("#!/bin/sh\n\(script)\n", to: "bin/" + name)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: path)
            }
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            return ["PATH": bin + ":" + path, "PROGRAM": Program.path]
        }

        private static func script(in folder: TemporaryFolder) throws -> String {
            let url = Program.root.appending(path: "config/tailscale-certificate")
            #expect(FileManager.default.isExecutableFile(atPath: url.path))
            var text = try String(contentsOf: url, encoding: .utf8)
            for (part, replacement) in [
                ("\nname=runner.tail1234.ts.net\n", "\nname=localhost\n"),
                ("\nfolder=/etc/pulsecast/tls\n", "\nfolder=\(folder.file("tls"))\n"),
            ] {
                #expect(text.contains(part))
                text = text.replacingOccurrences(of: part, with: replacement)
            }
            return try folder.write(text, to: "pulsecast-certificate")
        }

        @Test(
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"),
                "curl is needed (tools/setup --for test): skipped"))
        func `A renewed certificate is served after the reload`() async throws {
            try await TemporaryFolder.with { folder in
                let environment = try Self.stubs(in: folder)
                let script = try Self.script(in: folder)
                func renew() async throws {
                    let run = try ChildProcess(
                        "/bin/sh", [script], environment: environment, in: folder)
                    #expect(try await run.waitForEnd() == .exited(0), "\(run.complaint)")
                }
                try await renew()
                let (certificate, key) = ("tls/localhost.crt", "tls/localhost.key")
                try FileManager.default.copyItem(
                    atPath: folder.file(certificate), toPath: folder.file("old.crt"))
                let settings = [
                    "PULSECAST_HTTP_TLS": "true",
                    "PULSECAST_TLS_CERTIFICATE": folder.file(certificate),
                    "PULSECAST_TLS_PRIVATE_KEY": folder.file(key),
                ]
                try await DaemonProcess.run(in: folder, environment: settings) { daemon in
                    let port = try daemon.port(of: "http")
                    func isServed(_ file: String) async throws -> Bool {
                        let curl = try ChildProcess(
                            "/usr/bin/curl",
                            ["-sS", "--cacert", file, "https://localhost:\(port)/openapi.json"],
                            in: folder)
                        return try await curl.waitForEnd() == .exited(0)
                    }
                    #expect(try await isServed("old.crt"))
                    _ = try folder.write("\(daemon.process.id)", to: "pid")
                    try await renew()
                    let said = try await daemon.process.complaint(with: "certificate was read")
                    #expect(said.contains("certificate was read again"), "\(said)")
                    #expect(try await isServed(certificate))
                    #expect(try await !isServed("old.crt"))
                }
            }
        }
    }
}
