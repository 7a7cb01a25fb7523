import Foundation
import Testing

extension SystemTests {
    /// Real recordings, if there are any beside the repository; they are never part of it.
    @Suite struct RecordingTests {
        private static let recordings = Recordings(
            folder: Program.root.deletingLastPathComponent().appending(path: "shared/data"))

        @Test(
            .enabled(
                if: recordings.isThere,
                "there are no recordings beside the repository (../shared/data): skipped"))
        func `Pushing a recording and analyzing it agree, and its replay is byte for byte`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let push = RecordingPush(
                        daemon: daemon, tokenFile: try folder.write(token, to: "token"))
                    var frames = 0
                    let chosen = Self.recordings.sound(all: Program.isLong, seed: 12)
                    for path in chosen { frames += try await push.compare(path) }
                    print("\(chosen.count) recordings, \(frames) frames, all agree or are named")
                    #expect(try await daemon.terminate() == .exited(0))
                }
                let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                #expect(verified.end == .exited(0), "\(verified.output)")
            }
        }

        @Test(
            .enabled(
                if: recordings.isThere,
                "there are no recordings beside the repository (../shared/data): skipped"))
        func `A hostile recording works or is refused in one sentence`() async throws {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let push = RecordingPush(
                        daemon: daemon, tokenFile: try folder.write(token, to: "token"))
                    for path in Self.recordings.hostile(all: Program.isLong, seed: 5) {
                        let analyzed = try await push.analyze(path)
                        guard analyzed.end != .exited(0) else {
                            _ = try await push.compare(path, isHostile: true)
                            continue
                        }
                        let pushed = try await push.push(path)
                        for outcome in [analyzed, pushed] {
                            let said = outcome.complaint.split(separator: "\n")
                            #expect(outcome.end == .exited(1), "\(path)")
                            #expect(said.count == 1 && said[0].count > 20, "\(path): \(said)")
                            #expect(outcome.output == "", "\(path)")
                        }
                        print("refused: \(analyzed.complaint)", terminator: "")
                    }
                    #expect(try await daemon.terminate() == .exited(0))
                }
            }
        }
    }
}
