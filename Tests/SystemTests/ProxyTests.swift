import Foundation
import Glibc
import LoopbackPort
import Testing

extension SystemTests {
    /// The examples of reverse proxies, with the real programs.
    @Suite struct ProxyTests {
        /// What a test needs to ask through a proxy.
        private struct Place {
            let daemon: DaemonProcess
            let proxy: ReverseProxy
            let token: String
            let share: String

            var folder: TemporaryFolder { daemon.folder }
            var address: String { "https://localhost:\(proxy.port)" }

            /// Starts curl, which trusts the proxy's authority.
            func curl(_ path: String, _ arguments: [String] = []) throws -> ChildProcess {
                try ChildProcess(
                    "/usr/bin/env",
                    [
                        "curl", "-sS", "--cacert", proxy.authority, "--resolve",
                        "localhost:\(proxy.port):127.0.0.1", address + path,
                    ] + arguments, in: folder)
            }

            /// - Returns: What curl printed.
            func answer(_ path: String, _ arguments: [String] = []) async throws -> String {
                let curl = try curl(path, arguments)
                let end = try await curl.waitForEnd(withinSeconds: 60)
                #expect(end == .exited(0), "\(path): \(curl.complaint)")
                return curl.output
            }

            func status(_ path: String, _ arguments: [String] = []) async throws -> String {
                try await answer(path, ["-o", "/dev/null", "-w", "%{http_code}"] + arguments)
            }
        }

        private static let hasAll =
            ReverseProxy.Kind.allCases.allSatisfy { $0.path != nil }
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")
        private static let needed: Comment =
            "caddy, nginx and curl are needed (tools/setup --for test): skipped"

        private static func with(
            _ kind: ReverseProxy.Kind, _ body: (Place) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let port = LoopbackPort.free()
                let environment = [
                    "PULSECAST_HTTP_TRUSTED_PROXIES": "127.0.0.1",
                    "PULSECAST_HTTP_PUBLIC_URL": "https://localhost:\(port)",
                    "PULSECAST_LIMITS_FAILURES_PER_MINUTE": "3",
                    "PULSECAST_LIMITS_BODY_BYTES": "16777216",
                ]
                try await DaemonProcess.run(in: folder, environment: environment) { daemon in
                    let token = try await daemon.addDevice("ann")
                    _ = try folder.write(token, to: "token")
                    let share = try await daemon.addShare(of: "ann")
                    try await ReverseProxy.run(kind, before: daemon, port: port) { proxy in
                        try await body(
                            Place(daemon: daemon, proxy: proxy, token: token, share: share))
                    }
                }
            }
        }

        /// Waits, for a bounded time, until a running program has printed a text.
        private static func wait(for text: String, of process: ChildProcess) async throws {
            for _ in 0..<1000 where !process.output.contains(text) {
                guard process.isRunning else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(process.output.contains(text), "\(process.output) \(process.complaint)")
            #expect(process.isRunning, "\(process.complaint)")
        }

        @Test(.enabled(if: hasAll, needed), arguments: ReverseProxy.Kind.allCases)
        func `Pages and live streams come through at once`(kind: ReverseProxy.Kind) async throws {
            try await Self.with(kind) { place in
                let page = try await place.answer("/s/\(place.share)")
                #expect(page.contains("<html"), "\(page)")
                let latest = try await place.answer("/v1/shares/\(place.share)/latest")
                #expect(latest.contains(#""type":"snapshot""#), "\(latest)")

                let events = try place.curl("/v1/shares/\(place.share)/events", ["-N"])
                let viewer = try ChildProcess(
                    Program.path,
                    [
                        "watch", "\(place.address)/s/\(place.share)", "--ca",
                        place.proxy.authority,
                    ], in: place.folder)
                defer { for program in [events, viewer] { program.signal(SIGKILL) } }
                for program in [events, viewer] {
                    try await Self.wait(for: "snapshot", of: program)
                }
                // Neither stream ends: only a proxy that holds nothing back shows the value.
                #expect(try await place.answer("/in/hr/\(place.token)?bpm=141").contains("OK"))
                for program in [events, viewer] {
                    try await Self.wait(for: #""bpm":141"#, of: program)
                }
                // Whoever reads a log with the ID of a link can watch.
                let log = place.proxy.log(in: place.folder)
                #expect(!log.contains(place.share) && !log.contains(place.token), "\(log)")
            }
        }

        @Test(.enabled(if: hasAll, needed), arguments: ReverseProxy.Kind.allCases)
        func `A device, a long import and a long download come through`(
            kind: ReverseProxy.Kind
        ) async throws {
            try await Self.with(kind) { place in
                let run = try await Program.run(
                    ["simulate", "--output", "run.fit", "--minutes", "2"], in: place.folder)
                #expect(run.end == .exited(0), "\(run.complaint)")
                let pushed = try await Program.run(
                    [
                        "push", "run.fit", "--token-file", "token", "--speed", "max", "--to",
                        "wss://localhost:\(place.proxy.port)/v1/device", "--ca",
                        place.proxy.authority,
                    ], in: place.folder)
                #expect(pushed.end == .exited(0), "\(pushed.complaint)")

                let file = try place.folder.write(Self.longRun, to: "long.csv")
                let bearer = ["-H", "Authorization: Bearer \(place.token)"]
                // Sent as it is: pulsecast import would compress it to less than any limit.
                let taken = try await place.answer(
                    "/v1/me/import?name=long.csv",
                    bearer + [
                        "--data-binary", "@" + file, "-H", "Content-Type: application/octet-stream",
                    ])
                #expect(taken.contains(#""session":"#), "\(taken)")
                let object = try JSONSerialization.jsonObject(with: Data(taken.utf8))
                let session = try #require((object as? [String: Any])?["session"] as? String)
                let exported = try await place.answer(
                    "/v1/me/sessions/\(session)/export?format=csv", bearer)
                #expect(exported.utf8.count > 1 << 19, "\(exported.prefix(300))")
            }
        }

        /// A run of three hours, longer than 1 MiB and 2 MiB, the usual limits of proxies.
        private static let longRun: String = {
            let rows = (0..<30_000).map { tick in
                let time = 1_714_521_600 + Double(tick) * 0.36
                let latitude = 48.1 + Double(tick) * 9.7e-6
                return String(
                    format: "%.9f,%.15f,%.15f,%.12f,%d\n", time, latitude, 11.5, 500.0,
                    120 + tick % 9)
            }
            return "time,latitude,longitude,altitude,heartRate\n" + rows.joined()
        }()

        @Test(.enabled(if: hasAll, needed), arguments: ReverseProxy.Kind.allCases)
        func `The client's address and the scheme reach the daemon`(
            kind: ReverseProxy.Kind
        ) async throws {
            try await Self.with(kind) { place in
                // Only a request over HTTPS, by the trusted proxy's word, finds this page.
                #expect(try await place.status("/admin") != "404")
                var statuses: [String] = []
                for number in 1...5 {
                    statuses.append(
                        try await place.status(
                            "/v1/shares/AAAAAAAAAAAAAAAAAAAAA\(number)/latest",
                            // A forged address must not make a new client of each request.
                            [
                                "--interface", "127.0.0.2", "-H",
                                "X-Forwarded-For: 198.51.100.\(number)",
                            ]))
                }
                #expect(statuses.first == "404" && statuses.last == "429", "\(statuses)")
                let other = try await place.status(
                    "/v1/shares/AAAAAAAAAAAAAAAAAAAAAA/latest", ["--interface", "127.0.0.3"])
                #expect(other == "404", "another client is told to wait for it")
                if let plain = place.proxy.plainPort {
                    let moved = try ChildProcess(
                        "/usr/bin/env",
                        ["curl", "-sS", "-D", "-", "http://127.0.0.1:\(plain)/s/a?b"],
                        in: place.folder)
                    try await moved.waitForEnd(withinSeconds: 60)
                    #expect(moved.output.contains("301"), "\(moved.output)")
                    #expect(moved.output.contains("ocation: https://127.0.0.1/s/a?b"))
                }
            }
        }
    }
}
