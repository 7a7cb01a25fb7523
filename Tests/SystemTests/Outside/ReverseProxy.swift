import Foundation
import Glibc
import LoopbackPort
import Testing

/// A real reverse proxy with its example from `config/`, on free loopback ports.
struct ReverseProxy {
    /// A proxy that an example is there for.
    enum Kind: String, CaseIterable {
        case caddy, nginx

        /// Where `tools/setup --for test` puts the program, and where Debian's package has it.
        private var places: [String] {
            let own = Program.root.appending(path: ".build-judges/bin/\(rawValue)").path
            return [own, "/usr/bin/\(rawValue)", "/usr/sbin/\(rawValue)"]
        }

        var path: String? {
            places.first(where: FileManager.default.isExecutableFile(atPath:))
        }
    }

    struct DidNotStart: Error {
        let complaint: String
    }

    let port: Int
    /// Port of plain HTTP, which only leads to HTTPS; `nil`: none in this test.
    let plainPort: Int?
    /// PEM file of the authority that clients are told to trust.
    let authority: String
    private let process: ChildProcess

    /// What the proxy has logged: in files of its log, and to stderr.
    func log(in folder: TemporaryFolder) -> String {
        let file = try? String(contentsOfFile: folder.file("access.log"), encoding: .utf8)
        return (file ?? "") + process.complaint + process.output
    }

    /// Runs `body` with a proxy in front of `daemon`.
    static func run<Result>(
        _ kind: Kind, before daemon: DaemonProcess, port: Int,
        _ body: (ReverseProxy) async throws -> Result
    ) async throws -> Result {
        let proxy =
            switch kind {
            case .caddy: try caddy(before: daemon, port: port)
            case .nginx: try await nginx(before: daemon, port: port)
            }
        defer { proxy.process.signal(SIGKILL) }
        try await proxy.waitUntilOpen(in: daemon.folder)
        return try await body(proxy)
    }

    /// An example with parts replaced; each part must be there.
    private static func example(_ name: String, _ parts: [(String, String)]) throws -> String {
        let url = Program.root.appending(path: "config/" + name)
        var text = try String(contentsOf: url, encoding: .utf8)
        for (part, replacement) in parts {
            #expect(text.contains(part), "\(part) is not in \(name)")
            text = text.replacingOccurrences(of: part, with: replacement)
        }
        return text
    }

    // MARK: - Caddy

    private static func caddy(before daemon: DaemonProcess, port: Int) throws -> ReverseProxy {
        let folder = daemon.folder
        // An authority of Caddy's own instead of one of the internet, and nothing outside the folder.
        let settings = """
            {
                admin off
                auto_https disable_redirects
                skip_install_trust
                storage file_system \(folder.file("caddy"))
            }

            """
        let text = try example(
            "Caddyfile",
            [
                (
                    "\npulsecast.example.org {",
                    "\nhttps://localhost:\(port) {\n\tbind 127.0.0.1\n\ttls internal"
                ),
                ("127.0.0.1:7480", "127.0.0.1:\(try daemon.port(of: "http"))"),
            ])
        let file = try folder.write(settings + text, to: "Caddyfile")
        let program = try #require(Kind.caddy.path)
        let process = try MosquittoBroker.start(
            "/usr/bin/env",
            [
                "HOME=\(folder.path)", "XDG_CONFIG_HOME=\(folder.path)", program, "run", "--config",
                file, "--adapter", "caddyfile",
            ], in: folder)
        return ReverseProxy(
            port: port, plainPort: nil,
            authority: folder.file("caddy/pki/authorities/local/root.crt"), process: process)
    }

    // MARK: - nginx

    private static func nginx(before daemon: DaemonProcess, port: Int) async throws -> ReverseProxy
    {
        let folder = daemon.folder
        let made = try await Program.run(["tls", "self-signed", "--name", "localhost"], in: folder)
        #expect(made.end == .exited(0), "\(made.complaint)")
        let plain = LoopbackPort.free()
        let live = "/etc/letsencrypt/live/pulsecast.example.org/"
        let text = try example(
            "nginx.conf.example",
            [
                ("listen 80;", "listen 127.0.0.1:\(plain);"), ("listen [::]:80;", ""),
                ("listen 443 ", "listen 127.0.0.1:\(port) "), ("listen [::]:443 ssl http2;", ""),
                (live + "fullchain.pem", folder.file("tls/certificate.pem")),
                (live + "privkey.pem", folder.file("tls/key.pem")),
                ("server_name pulsecast.example.org;", "server_name localhost;"),
                ("127.0.0.1:7480", "127.0.0.1:\(try daemon.port(of: "http"))"),
            ])
        let example = try folder.write(text, to: "pulsecast.conf")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.file("nginx-" + $0));"
        }
        // One process, which takes everything with it when it is killed.
        let file = try folder.write(
            """
            daemon off;
            master_process off;
            pid \(folder.file("nginx.pid"));
            error_log stderr;
            events {}
            http {
                access_log \(folder.file("access.log"));
                \(temporary.joined(separator: " "))
                include \(example);
            }
            """, to: "nginx.conf")
        let process = try MosquittoBroker.start(
            try #require(Kind.nginx.path), ["-e", "stderr", "-p", folder.path, "-c", file],
            in: folder)
        return ReverseProxy(
            port: port, plainPort: plain, authority: folder.file("tls/certificate.pem"),
            process: process)
    }

    /// Waits for a whole handshake: Caddy listens before it has its certificate.
    private func waitUntilOpen(in folder: TemporaryFolder) async throws {
        for _ in 0..<200 where process.isRunning {
            let curl = try ChildProcess(
                "/usr/bin/curl",
                [
                    "-sS", "-o", "/dev/null", "--cacert", authority, "--resolve",
                    "localhost:\(port):127.0.0.1", "https://localhost:\(port)/",
                ], in: folder)
            if try await curl.waitForEnd(withinSeconds: 60) == .exited(0) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DidNotStart(complaint: process.complaint)
    }
}
