import Foundation
import Testing

extension SystemTests {
    /// Commands that connect to a port that is not what they were told.
    @Suite struct WrongPortTests {
        /// The commands that connect, and where to.
        private static func commands(
            device: UInt16, http: UInt16, share: String, secure: String
        ) -> [(arguments: [String], target: String)] {
            let push = ["push", "run.fit", "--token-file", "token", "--to"]
            let imported = ["import", "run.fit", "--token-file", "token", "--to"]
            return [
                (push + ["tcp\(secure)://127.0.0.1:\(device)"], "127.0.0.1:\(device)"),
                (push + ["ws\(secure)://127.0.0.1:\(http)/v1/device"], "127.0.0.1:\(http)"),
                (imported + ["http\(secure)://127.0.0.1:\(http)"], "127.0.0.1:\(http)"),
                (["watch", "http\(secure)://127.0.0.1:\(http)/s/\(share)"], "127.0.0.1:\(http)"),
            ]
        }

        private static func run(in folder: TemporaryFolder) async throws {
            let run = try await Program.run(
                ["simulate", "--output", "run.fit", "--minutes", "1"], in: folder)
            #expect(run.end == .exited(0), "\(run.complaint)")
        }

        @Test func `A port with TLS is named to a client without it, and what to use`()
            async throws
        {
            try await TrustTests.withTLS { daemon, _, share in
                let hint = daemon.process.complaint
                #expect(hint.contains("viewers on https://"), "\(hint)")
                try await Self.run(in: daemon.folder)
                let commands = Self.commands(
                    device: try daemon.port(of: "device"), http: try daemon.port(of: "http"),
                    share: share, secure: "")
                for ((arguments, target), scheme) in zip(
                    commands, ["tcps", "wss", "https", "https"])
                {
                    let refused = try await Program.run(
                        arguments, in: daemon.folder, withinSeconds: 25)
                    #expect(refused.end == .exited(1), "\(arguments)")
                    #expect(
                        refused.complaint.contains(
                            "this port speaks TLS: use \(scheme)://\(target)"),
                        "\(arguments): \(refused.complaint)")
                }
            }
        }

        @Test func `A port without TLS is named to a client with it, and what to use`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try folder.write(try await daemon.addDevice("a"), to: "token")
                    try await Self.run(in: folder)
                    let commands = Self.commands(
                        device: try daemon.port(of: "device"), http: try daemon.port(of: "http"),
                        share: try await daemon.addShare(of: "a"), secure: "s")
                    for ((arguments, target), scheme) in zip(
                        commands, ["tcp", "ws", "http", "http"])
                    {
                        let refused = try await Program.run(
                            arguments, in: folder, withinSeconds: 25)
                        #expect(refused.end == .exited(1), "\(arguments)")
                        #expect(
                            refused.complaint.contains("use \(scheme)://\(target)"),
                            "\(arguments): \(refused.complaint)")
                    }
                }
            }
        }

        @Test(arguments: [
            (false, "tcp", "no answer"), (true, "tcp", "says nothing"),
            (true, "ws", "says nothing"),
        ])
        func `A server that says nothing is given up within seconds`(
            accepts: Bool, scheme: String, words: String
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await Self.run(in: folder)
                _ = try folder.write("pc_x", to: "token")
                let port = try SilentPort(accepts: accepts)
                let start = ContinuousClock.now
                let refused = try await Program.run(
                    [
                        "push", "run.fit", "--token-file", "token", "--to",
                        "\(scheme)://127.0.0.1:\(port.number)/v1/device",
                    ], in: folder, withinSeconds: 40)
                #expect(refused.end == .exited(1))
                #expect(refused.complaint.contains(words), "\(refused.complaint)")
                #expect(start.duration(to: .now) < .seconds(accepts ? 25 : 15))
                withExtendedLifetime(port) {}
            }
        }
    }
}
