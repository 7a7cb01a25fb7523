import Foundation
import Testing

extension SystemTests {
    /// `pulsecast simulate --output`.
    @Suite struct SimulatedFileTests {
        @Test(arguments: ["fit", "gpx", "tcx", "csv", "ndjson"])
        func `A simulated run is a recording that is read again`(format: String) async throws {
            try await TemporaryFolder.with { folder in
                let made = try await Program.run(
                    ["simulate", "--output", "run.\(format)", "--minutes", "3"], in: folder)
                #expect(made.end == .exited(0), "\(made.complaint)")
                #expect(made.output.contains("run.\(format)"))
                let read = try await Program.run(
                    ["analyze", "run.\(format)", "--json"], in: folder)
                #expect(read.end == .exited(0), "\(read.complaint)")
                let summary = try #require(read.object["summary"] as? [String: Any])
                let meters = try #require(summary["distanceMeters"] as? Double)
                #expect((300...900).contains(meters))
                #expect((summary["averageHeartRate"] as? Double ?? 0) > 60)
            }
        }

        @Test func `Two recordings of a run, or two versions of it, stand side by side`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                for name in ["a.fit", "a.csv"] {
                    _ = try await Program.run(
                        ["simulate", "--output", name, "--minutes", "3", "--seed", "4"],
                        in: folder)
                }
                let saved = try await Program.run(["analyze", "a.fit", "--json"], in: folder)
                _ = try folder.write(saved.output, to: "old.json")
                let same = try await Program.run(
                    ["analyze", "a.fit", "--compare", "old.json"], in: folder)
                #expect(same.end == .exited(0), "\(same.complaint)")
                #expect(same.output.contains("no difference"))
                let other = try await Program.run(
                    ["analyze", "a.fit", "--compare", "a.csv", "--plot", "plots"], in: folder)
                #expect(other.output.contains("distanceMeters"), "\(other.complaint)")
                #expect(!other.output.contains("no difference"))
                let picture = try String(
                    contentsOfFile: folder.file("plots/a.fit.svg"), encoding: .utf8)
                #expect(picture.contains("class=\"other\""))
                let moved = try await Program.run(
                    ["analyze", "a.fit", "--compare", "old.json", "--offset", "5", "--json"],
                    in: folder)
                #expect(moved.object["offsetSeconds"] as? Double == 5)
                #expect(moved.object["isSame"] as? Bool == false)
                for (arguments, status, word) in [
                    (["--compare", "none.json"], 1, "none.json"),
                    (["--compare", "a.json"], 1, "--json"),
                    (["--compare", "none.fit"], 1, "none.fit"),
                    (["--offset", "1"], 2, "--compare"),
                    (["--compare", "old.json", "--offset", "1e300"], 2, "--offset"),
                ] as [([String], Int32, String)] {
                    _ = try folder.write("{}", to: "a.json")
                    let wrong = try await Program.run(["analyze", "a.fit"] + arguments, in: folder)
                    #expect(wrong.end == .exited(status), "\(wrong.complaint)")
                    #expect(wrong.complaint.contains(word))
                }
            }
        }

        @Test func `The same seed runs the same run, and another one does not`() async throws {
            try await TemporaryFolder.with { folder in
                var read: [String] = []
                for (name, seed) in [("a.fit", "4"), ("b.fit", "4"), ("c.fit", "5")] {
                    let made = try await Program.run(
                        ["simulate", "--output", name, "--minutes", "2", "--seed", seed, "--json"],
                        in: folder)
                    #expect(made.object["output"] as? String == name)
                    read.append(try await Program.run(["analyze", name], in: folder).output)
                }
                #expect(read[0] == read[1])
                #expect(read[0] != read[2])
            }
        }

        @Test
        func `The truth beside a run is what a plot draws, and a bad connection loses frames`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try folder.write(try await daemon.addDevice("a"), to: "token")
                    let target = "tcp://127.0.0.1:\(try daemon.port(of: "device"))"
                    let run = [
                        "simulate", "--token-file", token, "--minutes", "2", "--speed", "max",
                        "--to", target,
                    ]
                    let whole = try await Program.run(run, in: folder)
                    #expect(whole.end == .exited(0), "\(whole.complaint)")
                    let all = try await daemon.command(["session", "show", "latest"])
                    let ran = try await Program.run(
                        run + [
                            "--loss", "0.05", "--duplicates", "0.05", "--late", "0.05", "--outage",
                            "30:20", "--truth", "truth.csv",
                        ], in: folder)
                    #expect(ran.end == .exited(0), "\(ran.complaint)")
                    let shown = try await daemon.command(["session", "show", "latest"])
                    let frames = try #require(shown.object["frames"] as? Int)
                    let sent = try #require(all.object["frames"] as? Int)
                    #expect((sent * 90 / 100...sent * 98 / 100).contains(frames))
                    let meters = try #require(shown.object["distanceMeters"] as? Double)
                    let rows = try String(contentsOfFile: folder.file("truth.csv"), encoding: .utf8)
                        .split(separator: "\n")
                    #expect(rows[0].hasPrefix("t_s,distance_m,cadence_spm,steps_cum"))
                    let last = try #require(rows.last).split(separator: ",").compactMap {
                        Double($0)
                    }
                    #expect(abs(last[1] - meters) < 0.1 * meters)
                }
            }
        }

        static let wrong: [(arguments: [String], status: Int32, words: [String])] = [
            (["--output", "there.fit"], 1, ["there.fit", "is there"]),
            (["--output", "none/run.fit"], 1, ["none", "folder"]),
            (["--output", "run.mp3"], 2, ["run.mp3", ".fit"]),
            (["--output", "run"], 2, [".fit"]),
            (["--output", "run.fit", "--token-file", "t"], 2, ["choose one"]),
            (["--output", "run.fit", "--devices", "2"], 2, ["--devices"]),
            (["--output", "run.fit", "--loss", "0.1"], 2, ["--token-file"]),
            (["--token-file", "t", "--loss", "1"], 2, ["--loss", "0.9"]),
            (["--token-file", "t", "--outage", "soon"], 2, ["soon", "60:30"]),
            (["--token-file", "t", "--devices", "2", "--truth", "t.csv"], 2, ["--truth"]),
            ([], 2, ["--token-file", "--output"]),
        ]

        @Test(arguments: wrong.indices)
        func `A file that cannot be made is not begun`(index: Int) async throws {
            let (arguments, status, words) = Self.wrong[index]
            try await TemporaryFolder.with { folder in
                _ = try folder.write("kept", to: "there.fit")
                let outcome = try await Program.run(["simulate"] + arguments, in: folder)
                #expect(outcome.end == .exited(status), "\(outcome.complaint)")
                for word in words { #expect(outcome.complaint.contains(word), "\(word)") }
                let kept = try String(contentsOfFile: folder.file("there.fit"), encoding: .utf8)
                #expect(kept == "kept")
                #expect(!FileManager.default.fileExists(atPath: folder.file("run.fit")))
            }
        }
    }
}
