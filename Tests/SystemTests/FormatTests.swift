import Foundation
import Testing

extension SystemTests {
    /// Data written by released versions; a change of a format adds a sample and regenerates none.
    @Suite struct FormatTests {
        /// A state folder after one simulated runner of 66 s, and a configuration.
        struct Sample: CustomTestStringConvertible {
            let name: String
            let session: String
            let share: String
            let frames: Int
            let events: Int

            var testDescription: String { name }
            var folder: URL {
                Program.root.appending(path: "Tests/SystemTests/Samples").appending(path: name)
            }

            /// Copies the state with the daemon's file modes, which a repository does not keep.
            func copyState(to folder: TemporaryFolder) throws {
                let files = FileManager.default
                let state = DaemonProcess.state(in: folder)
                try files.copyItem(atPath: self.folder.path, toPath: state)
                for name in ["master.key", "registry.sqlite"] {
                    try files.setAttributes(
                        [.posixPermissions: 0o600], ofItemAtPath: state + "/" + name)
                }
            }
        }

        static let samples = [
            Sample(
                name: "format-1", session: "42e15e3e-7af6-45c5-80ca-5c8975b5c1ff",
                share: "18a78wIrYuEUxvmymwesqQ", frames: 354, events: 83),
            // With intervals in the profile, and earlier heart-rate zones.
            Sample(
                name: "format-2", session: "6825ca14-6c1d-4404-ad6d-892d4cb87876",
                share: "jtcfM3jU3_PBGrqh74CpPA", frames: 354, events: 97),
            // With a course, two of its checkpoints reached and two ahead.
            Sample(
                name: "format-3", session: "2e0c96b3-1b6b-4804-a480-f7f57dfe1d32",
                share: "8E5S9P-MBrILqBKy51ssyw", frames: 354, events: 86),
            // With three heart rates that jumped and were flagged as suspect.
            Sample(
                name: "format-4", session: "f14ecd18-292d-4008-a5d2-bc965ac925e1",
                share: "orbn0VP8hi8M8Zb9dQBpKg", frames: 135, events: 134),
            // With offsets that are arrival times, after a session erased in place.
            Sample(
                name: "format-5", session: "989d8199-4655-464f-9592-eb245f63d86b",
                share: "lwRUctJkibsmcav7Ri-gFQ", frames: 354, events: 83),
        ]

        @Test(arguments: samples)
        func `What an older version wrote is read`(sample: Sample) async throws {
            try await TemporaryFolder.with { folder in
                try sample.copyState(to: folder)
                let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                #expect(verified.end == .exited(0), "\(verified.complaint)")
                #expect(verified.output.contains("\(sample.frames) frames"), "\(verified.output)")
                let listing = try await DaemonProcess.command(["log", "cat"], in: folder)
                let lines = listing.output.split(separator: "\n")
                #expect(lines.filter { $0.contains(#""type":"frame""#) }.count == sample.frames)
                #expect(lines.filter { $0.contains(#""event":{"#) }.count == sample.events)
                let snapshots = lines.filter { $0.contains(#""type":"snapshot""#) }
                #expect(snapshots.count == 2)
                #expect(snapshots.allSatisfy { $0.contains(#""events":"#) })
                try await Self.expectAccounts(of: sample, in: folder)
            }
        }

        /// Checks the registry's rows, and the values that need the master key.
        private static func expectAccounts(
            of sample: Sample, in folder: TemporaryFolder
        ) async throws {
            try await DaemonProcess.run(in: folder) { daemon in
                let devices = try await daemon.command(["device", "list"])
                #expect(devices.output.contains("runner"), "\(devices.complaint)")
                let sessions = try await daemon.command(["session", "list"])
                #expect(sessions.output.contains(sample.session), "\(sessions.complaint)")
                let share = try await daemon.command(["share", "show", "runner", "--reveal"])
                #expect(share.output.contains(sample.share), "\(share.complaint)")
                #expect(try await daemon.terminate() == .exited(0))
            }
        }

        @Test(arguments: samples)
        func `A configuration of an older version is read`(sample: Sample) async throws {
            try await TemporaryFolder.with { folder in
                let file = sample.folder.appending(path: "pulsecast.yaml").path
                let checked = try await Program.run(["check-config", file], in: folder)
                #expect(checked.end == .exited(0), "\(checked.complaint)")
            }
        }

        @Test func `A newer configuration is refused with a sentence`() async throws {
            try await TemporaryFolder.with { folder in
                let file = try folder.write("format: 2\n", to: "newer.yaml")
                let checked = try await Program.run(["check-config", file], in: folder)
                #expect(checked.end != .exited(0))
                let said = checked.output + checked.complaint
                #expect(said.contains("has format 2") && said.contains("the newer daemon"))
            }
        }

        @Test func `A newer key file is refused with a sentence, and nothing is touched`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try Self.samples[0].copyState(to: folder)
                let key = DaemonProcess.state(in: folder) + "/master.key"
                try Data("v2:something else\n".utf8).write(to: URL(filePath: key))
                let daemon = try DaemonProcess.launch(in: folder)
                let end = try await daemon.waitForEnd()
                #expect(end != .exited(0))
                #expect(daemon.complaint.contains("has format 2"), "\(daemon.complaint)")
                let after = try String(contentsOfFile: key, encoding: .utf8)
                #expect(after == "v2:something else\n")
            }
        }
    }
}
