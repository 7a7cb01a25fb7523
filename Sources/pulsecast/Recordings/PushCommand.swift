import ArgumentParser
import Client
import Foundation
import PushFormats
import Recordings
import SensorModel

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Plays a recording to a daemon, as a device would.",
        discussion: """
            Example:
              pulsecast push run.fit --token-file token --speed 60
            """)

    @Argument(
        help: .value(
            "recording",
            "A FIT, GPX, TCX, CSV or NDJSON file, or a folder of imu.csv, gps.csv, hr.csv."),
        completion: .recordings)
    var recording: String

    @OptionGroup var destination: Destination

    @Option(
        help: .value("factor", "Times as fast as recorded, or max."), completion: .speeds)
    var speed = "1"

    @Flag(help: "Begin again at the end, until stopped.")
    var loop = false

    @Flag(help: "List what an export of the session replaces by Pulsecast's own values.")
    var verbose = false

    @Option(help: .value("uuid", "Session UUID; a new one without it."))
    var session: String?

    func run() async throws {
        let pace = try Self.pace(speed)
        let recording = try RecordingFile.read(recording)
        let frames = Self.ended(recording.frames)
        recording.tellNotes(listedBy: verbose ? nil : "--verbose")
        var generator = SystemRandomNumberGenerator()
        repeat {
            let id = try session.map(Self.sessionID) ?? SessionID(using: &generator)
            let sender = DeviceSender(
                address: try destination.server.address, token: try destination.token, session: id,
                speed: pace, isRecorded: true, tls: try destination.server.trust.tls,
                tell: { Terminal.complain($0) })
            let total = frames.count
            let bar = ProgressLine("pushing", total: total)
            try await sender.send(DeviceSender.timed(frames)) { bar.update(done: $0) }
            bar.finish()
            if destination.json {
                try Terminal.say(
                    encoded: Pushed(
                        session: "\(id)", frames: total, refused: recording.refused.counts,
                        dropped: recording.dropped.counts, replaced: recording.replaced.counts))
            } else {
                Terminal.say("\(total) frames acknowledged, session \(id)")
            }
        } while loop
    }

    /// Adds the end of the run; otherwise viewers would wait for more frames.
    private static func ended(_ frames: [Frame]) -> [Frame] {
        guard let last = frames.last, last.payload != .control(.stop) else { return frames }
        return frames + [
            Frame(sequence: .none, deviceTime: last.deviceTime, payload: .control(.stop))
        ]
    }

    private struct Pushed: Encodable {
        let session: String
        let frames: Int
        /// Unusable items, by reason.
        let refused: [String: Int]
        /// Values that were not sent, by field.
        let dropped: [String: Int]
        /// Values that an export to the same format replaces by the daemon's own, by field.
        let replaced: [String: Int]
    }

    /// Parses a multiple of the recorded speed; `nil`: as fast as possible.
    static func pace(_ text: String) throws -> Double? {
        if text == "max" { return nil }
        guard let speed = Double(text), speed > 0, speed <= 100_000 else {
            throw CommandFailure(
                "\(text) is not a speed: use a number as 1 or 10, or max",
                status: ExitStatus.wrongUse)
        }
        return speed
    }

    static func sessionID(_ text: String) throws -> SessionID {
        guard let id = SessionID(text) else {
            throw CommandFailure("\(text) is not a UUID", status: ExitStatus.wrongUse)
        }
        return id
    }
}

/// The daemon that a device connects to, and its token.
struct Destination: ParsableArguments {
    @OptionGroup var server: DeviceServer

    @Option(
        help: .value("path", "A file with the device's token; - reads it from standard input."),
        completion: .file())
    var tokenFile: String

    @Flag(help: "Print facts as JSON.")
    var json = false

    /// The token. It has no flag, because the process list would show it.
    var token: String {
        get throws { try Self.token(inFile: tokenFile) }
    }

    static func token(inFile path: String) throws -> String {
        let text = path == "-" ? readLine() : try? String(contentsOfFile: path, encoding: .utf8)
        let trimmed = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !trimmed.isEmpty else {
            throw CommandFailure("no token in \(path): write the device's token into it")
        }
        return trimmed
    }
}
