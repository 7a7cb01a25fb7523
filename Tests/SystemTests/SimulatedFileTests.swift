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

        static let wrong: [(arguments: [String], status: Int32, words: [String])] = [
            (["--output", "there.fit"], 1, ["there.fit", "is there"]),
            (["--output", "none/run.fit"], 1, ["none", "folder"]),
            (["--output", "run.mp3"], 2, ["run.mp3", ".fit"]),
            (["--output", "run"], 2, [".fit"]),
            (["--output", "run.fit", "--token-file", "t"], 2, ["choose one"]),
            (["--output", "run.fit", "--devices", "2"], 2, ["--devices"]),
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
