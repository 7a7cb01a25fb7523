import Foundation
import Testing

extension SystemTests {
    /// Exit codes and messages.
    @Suite struct CommandLineTests {
        static let commands = [
            "serve", "demo", "check-config", "device", "share", "session", "push", "replay",
            "analyze", "export", "report", "watch", "log", "simulate",
        ]

        @Test func `Help and version go to standard output and succeed`() async throws {
            try await TemporaryFolder.with { folder in
                let help = try await Program.run(["--help"], in: folder)
                let nothing = try await Program.run([], in: folder)
                #expect(help.end == .exited(0))
                #expect(nothing.end == .exited(0), "\(nothing.complaint)")
                for command in Self.commands {
                    #expect(help.output.contains("  \(command) "), "\(command) is not in the help")
                    let own = try await Program.run([command, "--help"], in: folder)
                    #expect(own.end == .exited(0), "\(command)")
                    #expect(own.output.contains("USAGE: pulsecast \(command)"))
                    #expect(own.complaint == "", "\(command)")
                }
                let version = try await Program.run(["--version"], in: folder)
                #expect(version.end == .exited(0))
                #expect(version.output.contains(/^\d+\.\d+\.\d+/), "\(version.output)")
            }
        }

        /// Arguments, exit status, and words of the message.
        static let wrong: [(arguments: [String], status: Int32, words: [String])] = [
            (["dance"], 2, ["dance", "--help"]),
            (["serv"], 2, ["serv", "did you mean serve?"]),
            (["device", "ad", "x"], 2, ["device ad", "did you mean add?", "device --help"]),
            (["share", "creat"], 2, ["share creat", "did you mean create?"]),
            (["device", "zone", "ad"], 2, ["device zone ad", "did you mean add?"]),
            (["log", "dance"], 2, ["no command log dance.", "pulsecast log --help"]),
            (["serve", "--dance"], 2, ["--dance"]),
            (["serve", "--device-port", "many"], 2, ["device-port", "many"]),
            (["serve", "--device-port", "70000"], 2, ["device.port", "70000", "65535"]),
            (
                ["serve", "--config", "nowhere.yaml"], 2,
                ["there is no configuration nowhere.yaml", "check-config --example"]
            ),
            (
                ["simulate", "--token-file", "/etc/hostname", "--to", "tcp://127.0.0.1:1"], 1,
                ["tcp://127.0.0.1:1", "nothing listens there", "is the daemon running"]
            ),
            (["watch", "http://127.0.0.1:1/s/x", "--ca", "no.pem"], 2, ["no.pem", "--ca"]),
            (["push", "x.fit"], 2, ["token-file"]),
            (["push", "x.fit", "--token-file", "x", "--speed", "fast"], 2, ["fast", "max"]),
            (["push", "nowhere.fit", "--token-file", "x"], 1, ["nowhere.fit"]),
            (["analyze", "nowhere"], 1, ["nowhere"]),
            (["replay", "no-uuid", "--verify"], 2, ["no-uuid"]),
            (["log", "verify", "--state", "nowhere"], 1, ["nowhere", "--state"]),
            (["device", "list", "--state", "nowhere"], 1, ["nowhere", "serve"]),
            (
                [
                    "export", "00000000-0000-0000-0000-000000000000", "--format", "mp3", "--state",
                    "nowhere",
                ], 2, ["mp3", "csv"]
            ),
        ]

        @Test(arguments: wrong.indices)
        func `Wrong use exits with its code and says what to do`(index: Int) async throws {
            let (arguments, status, words) = Self.wrong[index]
            try await TemporaryFolder.with { folder in
                let outcome = try await Program.run(arguments, in: folder)
                #expect(outcome.end == .exited(status), "\(arguments): \(outcome.complaint)")
                #expect(outcome.output == "")
                for word in words {
                    #expect(outcome.complaint.contains(word), "\(arguments): \(outcome.complaint)")
                }
            }
        }

        @Test func `A wrong configuration is named by key, value and what is allowed`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let file = try folder.write(
                    "device:\n  port: 123456\n  prot: 1\nlogging:\n  level: loud\n", to: "a.yaml")
                let state = folder.file("state")
                for arguments in [
                    ["check-config", file], ["serve", "--config", file, "--state", state],
                ] {
                    let outcome = try await Program.run(arguments, in: folder)
                    #expect(outcome.end == .exited(2))
                    for word in [
                        "a.yaml", "device.port", "123456", "0 to 65535", "device.prot",
                        "did you mean device.port", "logging.level", "loud", "debug",
                    ] {
                        #expect(
                            outcome.complaint.contains(word), "\(word): \(outcome.complaint)")
                    }
                }
                #expect(!FileManager.default.fileExists(atPath: state))
                let environment = try await Program.run(
                    ["check-config"], environment: ["PULSECAST_RING_KIBIBYTES": "1"], in: folder)
                #expect(environment.end == .exited(2))
                #expect(environment.complaint.contains("PULSECAST_RING_KIBIBYTES"))
                let missing = try await Program.run(["check-config", "none.yaml"], in: folder)
                #expect(missing.end == .exited(2))
                #expect(missing.complaint.contains("none.yaml"))
                let sound = try folder.write("device:\n  port: 0\n", to: "sound.yaml")
                let good = try await Program.run(["check-config", sound, "--print"], in: folder)
                #expect(good.end == .exited(0), "\(good.complaint)")
                #expect(good.output.contains("device.port"))
            }
        }

        @Test(arguments: [
            (["share", "create", "--device", "watch", "--expires", "0s"], "24h"),
            (["share", "create", "--device", "watch", "--max-viewers", "0"], "1 and 1000000"),
            (["share", "create", "--device", "watch", "--scope", ""], "heartRate"),
            (["device", "set", "watch", "--max-heart-rate", "99"], "100 to 230"),
        ])
        func `A value that cannot be exits 2 and says what can`(
            arguments: [String], words: String
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try await daemon.addDevice("watch")
                    let outcome = try await daemon.command(arguments)
                    #expect(outcome.end == .exited(2), "\(outcome.complaint)")
                    #expect(outcome.complaint.contains(words), "\(outcome.complaint)")
                    let nobody = ["share", "create", "--device", "nobody"]
                    #expect(try await daemon.command(nobody).end == .exited(1))
                }
            }
        }

        @Test func `A daemon without devices says how to add one, and not to a journal`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let hint = daemon.process.complaint
                    #expect(hint.contains("pulsecast device add my-watch --state"), "\(hint)")
                    // A secret is for a terminal, not for a file.
                    #expect(!hint.contains("/admin#"), "\(hint)")
                    // Its standard output has the addresses and nothing else.
                    #expect(daemon.process.output.split(separator: "\n").count == 1)
                    _ = try await daemon.addDevice("watch")
                    #expect(try await daemon.terminate() == .exited(0))
                }
                try await DaemonProcess.run(in: folder) { daemon in
                    #expect(!daemon.process.complaint.contains("device add"))
                }
            }
            try await TemporaryFolder.with { folder in
                let journal = ["JOURNAL_STREAM": "1:2"]
                try await DaemonProcess.run(in: folder, environment: journal) { daemon in
                    #expect(!daemon.process.complaint.contains("device add"))
                }
            }
        }

        @Test func `A second daemon on one state folder refuses and disturbs nothing`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let second = try DaemonProcess.launch(in: folder)
                    let end = try await second.waitForEnd(withinSeconds: 60)
                    #expect(end == .exited(1))
                    #expect(second.complaint.contains("another pulsecast"), "\(second.complaint)")
                    #expect(second.output == "")
                    _ = try await daemon.addDevice("runner")
                    #expect(try await daemon.terminate() == .exited(0))
                }
            }
        }

        @Test func `A port that is taken is named`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let port = String(try daemon.port(of: "device"))
                    let outcome = try await Program.run(
                        ["serve", "--state", folder.file("other"), "--device-port", port],
                        in: folder, withinSeconds: 60)
                    #expect(outcome.end == .exited(1), "\(outcome.complaint)")
                    #expect(outcome.complaint.contains(port), "\(outcome.complaint)")
                }
            }
        }

        @Test func `A damaged log exits 3 and names file and byte`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let device = LedgerDevice(token: token, form: .binary)
                    try await device.run(port: try daemon.port(of: "device"), until: 500)
                    #expect(try await daemon.terminate() == .exited(0))
                }
                let log = DaemonProcess.state(in: folder) + "/log"
                let segment = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: log).sorted().first)
                let url = URL(filePath: log + "/" + segment)
                var bytes = try Data(contentsOf: url)
                bytes[bytes.count / 2] ^= 0x10
                try bytes.write(to: url)
                let verified = try await DaemonProcess.command(
                    ["log", "verify", "--json"], in: folder)
                #expect(verified.end == .exited(3), "\(verified.complaint)")
                let damaged = verified.object["damaged"] as? [[String: Any]] ?? []
                #expect(damaged.first?["segment"] as? String == segment, "\(verified.output)")
                #expect(damaged.first?["byte"] is Int)
            }
        }
    }
}
