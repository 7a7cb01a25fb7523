import Client
import Foundation
import Testing
import Transport

extension SystemTests {
    /// Uses secrets in every supported way and then looks for them where they must not be.
    @Suite struct PlantedSecretsTests {
        @Test func `No secret is in a log line, metric, process list, state file or page`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let environment = ["PULSECAST_LOGGING_LEVEL": "trace"]
                let (secrets, texts) = try await DaemonProcess.run(
                    in: folder, environment: environment
                ) { daemon in
                    let secrets = try await plant(daemon)
                    try await use(secrets, at: daemon)
                    var texts = try await seen(at: daemon)
                    #expect(try await daemon.terminate() == .exited(0))
                    texts["journal"] = Data(daemon.process.complaint.utf8)
                    return (secrets, texts)
                }
                #expect(secrets.count >= 20)
                #expect(texts["journal"]?.isEmpty == false)
                for (name, secret) in secrets {
                    for (place, text) in texts {
                        #expect(
                            text.range(of: Data(secret.utf8)) == nil, "\(name) is in \(place)")
                    }
                    let files = try stateFiles(in: folder, with: secret)
                    #expect(files == [], "\(name) is in the state folder")
                }
            }
        }

        /// Uses valid tokens, links and codes, and as many invalid ones, which may be secrets
        /// elsewhere.
        private func plant(_ daemon: DaemonProcess) async throws -> [String: String] {
            var secrets: [String: String] = [:]
            for name in ["ann", "bob", "cid", "dan"] {
                secrets["token of \(name)"] = try await daemon.addDevice(name)
                secrets["link of \(name)"] = try await daemon.addShare(of: name)
            }
            let code = try await daemon.command(["share", "code", "ann", "--json"])
            secrets["code"] = try #require(code.object["code"] as? String)
            let turned = try await daemon.command(["device", "rotate", "cid", "--json"])
            secrets["rotated token"] = try #require(turned.object["token"] as? String)
            _ = try await daemon.command(["share", "revoke", "dan"])
            secrets["admin link"] = try await adminLink(daemon)
            let opened = try await open(try await adminLink(daemon), at: daemon)
            let session = try #require(
                try JSONSerialization.jsonObject(with: Data(opened.body)) as? [String: Any])
            secrets["admin session"] = try #require(session["token"] as? String)
            for number in 0..<5 {
                let digits = String(repeating: "\(number)xQ", count: 14)
                secrets["wrong token \(number)"] = "pc_" + digits + "A"
                secrets["wrong link \(number)"] = String(digits.prefix(21)) + "A"
            }
            return secrets
        }

        private func adminLink(_ daemon: DaemonProcess) async throws -> String {
            let made = try await daemon.command(["admin-link", "--json"])
            let url = try #require(made.object["url"] as? String)
            return String(try #require(url.split(separator: "#").last))
        }

        private func open(
            _ secret: String, at daemon: DaemonProcess
        ) async throws -> HTTPClient.Answer {
            try await HTTPClient(try daemon.address("http", .http)).send(
                .post, "/v1/admin/sessions", fields: ["Content-Type": "application/json"],
                body: Array(#"{"secret":"\#(secret)"}"#.utf8))
        }

        private func use(_ secrets: [String: String], at daemon: DaemonProcess) async throws {
            let http = HTTPClient(try daemon.address("http", .http))
            for (name, secret) in secrets {
                for path in [
                    "/s/\(secret)", "/?share=\(secret)", "/v1/shares/\(secret)/latest",
                    "/in/hr/\(secret)?bpm=120", "/in/hr?token=\(secret)&bpm=120",
                    "/api/v1/data/heart_rate/latest?access_token=\(secret)", "/nowhere/\(secret)",
                ] {
                    let answer = try await http.send(
                        .get, path, fields: ["Authorization": "Bearer \(secret)"])
                    // An API answer may contain the client's own token or ID. One of our pages,
                    // which a browser stores, may not.
                    if path.hasPrefix("/s/") || path.hasPrefix("/?") {
                        let body = String(decoding: answer.body, as: UTF8.self)
                        #expect(!body.contains(secret), "\(name) is in the page")
                    }
                }
                _ = try await http.send(
                    .post, "/c", fields: ["Content-Type": "application/json"],
                    body: Array(#"{"code":"\#(secret)"}"#.utf8))
                _ = try await open(secret, at: daemon)
                _ = try await http.send(
                    .get, "/v1/admin/devices", fields: ["Authorization": "Bearer \(secret)"])
                let device = try daemon.connect()
                let hello =
                    #"{"type":"hello","token":"\#(secret)","session":"\#(UUID().uuidString)"}"#
                await device.send(Array((hello + "\nnot json \(secret)\n").utf8))
                device.close()
            }
        }

        private func seen(at daemon: DaemonProcess) async throws -> [String: Data] {
            let operations = HTTPClient(try daemon.address("operations", .http))
            var texts: [String: Data] = [:]
            for path in ["/metrics", "/healthz", "/readyz"] {
                texts[path] = Data(try await operations.send(.get, path).body)
            }
            let http = HTTPClient(try daemon.address("http", .http))
            for path in ["/", "/me", "/record", "/admin", "/openapi.json", "/nowhere"] {
                texts["page \(path)"] = Data(try await http.send(.get, path).body)
            }
            for list in [["device", "list"], ["share", "list"], ["share", "opens", "ann"]] {
                let shown = try await daemon.command(list + ["--json"])
                texts[list.joined(separator: " ")] = Data(shown.output.utf8)
            }
            for file in ["cmdline", "environ", "comm"] {
                let path = "/proc/\(daemon.process.id)/\(file)"
                texts[path] = try Data(contentsOf: URL(filePath: path))
            }
            return texts
        }

        private func stateFiles(in folder: TemporaryFolder, with secret: String) throws -> [String]
        {
            let state = DaemonProcess.state(in: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: state).filter { file in
                FileManager.default.contents(atPath: state + "/" + file)?
                    .range(of: Data(secret.utf8)) != nil
            }
        }
    }
}
