import Foundation
import Testing

/// Sends recordings to a daemon as a device would, and compares its results with those of
/// `analyze`.
struct RecordingPush {
    let daemon: DaemonProcess
    let tokenFile: String

    /// Values that must agree, with a tolerance of half the last decimal that `analyze` prints.
    private static let figures = [
        ("distanceMeters", 0.005), ("steps", 0), ("averageHeartRate", 0.005),
        ("maxHeartRate", 0.05), ("movingSeconds", 0.0005), ("elevationGainMeters", 0.05),
    ]

    func push(_ path: String) async throws -> Program.Outcome {
        try await Program.run(
            [
                "push", path, "--to", "tcp://127.0.0.1:\(try daemon.port(of: "device"))",
                "--token-file", tokenFile, "--speed", "max", "--json",
            ], in: daemon.folder, withinSeconds: 600)
    }

    func analyze(_ path: String) async throws -> Program.Outcome {
        try await Program.run(
            ["analyze", "--json", path], in: daemon.folder, withinSeconds: 600)
    }

    /// - Parameters:
    ///   - path: Path of the recording.
    ///   - isHostile: Whether its times are misleading on purpose.
    /// - Returns: The number of frames in the recording.
    /// - Throws: Failures of a program under test.
    func compare(_ path: String, isHostile: Bool = false) async throws -> Int {
        let name = path.split(separator: "/").suffix(2).joined(separator: "/")
        let pushed = try await push(path)
        let analyzed = try await analyze(path)
        #expect(pushed.end == .exited(0), "push \(name): \(pushed.complaint)")
        #expect(analyzed.end == .exited(0), "analyze \(name): \(analyzed.complaint)")
        guard let session = pushed.object["session"] as? String,
            let summary = analyzed.object["summary"] as? [String: Any]
        else {
            Issue.record("\(name): \(pushed.output.prefix(200)), \(analyzed.output.prefix(200))")
            return 0
        }
        let frames = pushed.object["frames"] as? Int ?? 0
        let shown = try await daemon.command(["session", "show", session]).object
        #expect(shown["frames"] as? Int == frames, "\(name)")
        for (key, exact) in Self.figures {
            // Known: in a hole of hours, a sensor's rate counts a quarter of a minute more live.
            let tolerance = isHostile && key == "steps" ? 20 : exact
            let live = (shown[key] as? NSNumber)?.doubleValue
            let offline = (summary[key] as? NSNumber)?.doubleValue
            let isEqual =
                if let live, let offline {
                    abs(live - offline) <= tolerance + 1e-9
                } else { live == nil && offline == nil }
            #expect(
                isEqual, "\(name): \(key) is \(live ?? .nan) live, \(offline ?? .nan) offline")
        }
        let replayed = try await daemon.command(["replay", session, "--verify", "--json"])
        #expect(replayed.end == .exited(0), "\(name): \(replayed.complaint)")
        #expect(replayed.object["differing"] as? Int == 0, "\(name): \(replayed.output)")
        return frames
    }
}
