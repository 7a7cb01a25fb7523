import Foundation
import Testing

@testable import pulsecast

extension SystemTests {
    /// What commands tell a person, word for word where it matters.
    @Suite struct TranscriptTests {
        private static func rows(_ outcome: Program.Outcome) -> [Substring] {
            outcome.output.split(separator: "\n")
        }

        @Test func `A list of links says in words which are open, over or revoked`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try await daemon.addDevice("ann")
                    for (name, more) in [
                        ("open", []), ("gone", []), ("over", ["--expires", "1s"]),
                    ] {
                        let made = try await daemon.command(
                            ["share", "create", "--device", "ann", "--name", name] + more)
                        try #require(made.end == .exited(0), "\(made.complaint)")
                    }
                    _ = try await daemon.command(["share", "revoke", "gone"])
                    try await Task.sleep(for: .seconds(1.2))
                    let list = Self.rows(try await daemon.command(["share", "list"]))
                    for (name, word) in [
                        ("open", "active"), ("gone", "revoked"), ("over", "expired"),
                    ] {
                        let row = try #require(list.first { $0.contains(name) })
                        #expect(row.split(separator: " ").contains { $0 == word }, "\(row)")
                    }
                }
            }
        }

        @Test func `Training begins with the first run, and says that there is none before it`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try folder.write(try await daemon.addDevice("ann"), to: "token")
                    let none = try await daemon.command(["training", "ann"])
                    #expect(none.output == "no sessions of ann in the last 28 days\n")
                    let run = folder.file("run.gpx")
                    _ = try await Program.run(
                        ["simulate", "--output", run, "--minutes", "5"], in: folder)
                    let address = "http://127.0.0.1:\(try daemon.port(of: "http"))"
                    let taken = try await Program.run(
                        ["import", run, "--to", address, "--token-file", token], in: folder)
                    try #require(taken.end == .exited(0), "\(taken.complaint)")
                    let training = try await daemon.command(["training", "ann"])
                    let tables = training.output.components(separatedBy: "\n\n")
                    try #require(tables.count == 2, "\(training.output)")
                    for table in tables {
                        // A heading, then the one day, or the one week, with a session.
                        let rows = table.split(separator: "\n")
                        #expect(rows.count == 2 || rows.count == 3, "\(table)")
                        #expect(rows[1].contains(" 1 "), "\(table)")
                    }
                }
            }
        }

        @Test func `Who changes a profile is told from when it holds`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    _ = try await daemon.addDevice("ann")
                    let set = try await daemon.command([
                        "device", "set", "ann", "--max-heart-rate", "188",
                    ])
                    #expect(set.end == .exited(0))
                    #expect(set.complaint.hasPrefix("It holds from now on"), "\(set.complaint)")
                    let shown = try await daemon.command(["device", "set", "ann"])
                    #expect(shown.complaint == "", "\(shown.complaint)")
                }
            }
        }

        /// `script` gives the program a terminal.
        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
        func `A simulation on a terminal shows how far it is, and clears the line`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try folder.write(try await daemon.addDevice("ann"), to: "token")
                    let words = [
                        Program.path, "simulate", "--token-file", token, "--minutes", "1",
                        "--speed", "max", "--to",
                        "tcp://127.0.0.1:\(try daemon.port(of: "device"))",
                    ]
                    let terminal = try ChildProcess(
                        "/usr/bin/script",
                        [
                            "-q", "-e", "-c", words.joined(separator: " "),
                            folder.file("typescript"),
                        ],
                        in: folder)
                    let end = try await terminal.waitForEnd(withinSeconds: 120)
                    #expect(end == .exited(0), "\(terminal.output)")
                    #expect(terminal.output.contains("\rsimulating █"), "\(terminal.output)")
                    #expect(terminal.output.contains("100 %\r\u{1B}[2K"), "\(terminal.output)")
                    #expect(terminal.output.contains("1 runner(s) finished"))
                }
            }
        }

        @Test func `A push to a port where nothing listens ends at once with a sentence`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let run = folder.file("run.gpx")
                _ = try await Program.run(
                    ["simulate", "--output", run, "--minutes", "0.1"], in: folder)
                let token = try folder.write("pc_" + String(repeating: "A", count: 43), to: "token")
                let pushed = try await Program.run(
                    ["push", run, "--token-file", token, "--to", "tcp://127.0.0.1:1"],
                    in: folder, withinSeconds: 20)
                #expect(pushed.end == .exited(1))
                #expect(pushed.complaint.contains("is the daemon running"), "\(pushed.complaint)")
                for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
                    let count = { (mark: String) in
                        pushed.complaint.components(separatedBy: mark).count
                    }
                    #expect(count(open) == count(close), "\(pushed.complaint)")
                }
            }
        }

        @Test func `A live session that is silent says for how long`() {
            let now = Date(timeIntervalSince1970: 1000)
            #expect(AdminOptions.silence(NSNumber(value: 800.0), now: now) == ", silent for 3 min")
            #expect(AdminOptions.silence(NSNull(), now: now) == "")
        }
    }
}
