import API
import ArgumentParser
import Daemon
import Foundation
import Replay
import SegmentLog
import SensorModel
import Sharing

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays a recorded session again, or computes it again and compares.",
        discussion: """
            The session's events are printed in their own time, one JSON object a line. With \
            --share they are shown to everybody who watches the share instead, until the end or \
            Ctrl-C.

            --verify computes every event again from the raw frames on disk and compares it byte \
            for byte with the recorded one; it exits 1 on a difference. --diff shows what this \
            version, or the profile given with it, would compute otherwise; the record stays as \
            it is. \(ProfileOptions.zonesHelp)

            Examples:
              pulsecast replay latest --verify
              pulsecast replay latest --share my-watch --speed max
            """)

    @OptionGroup var place: LogPlace
    @Option(
        help: .value("path", "The daemon's admin socket, for --share; found by itself otherwise."),
        completion: .file())
    var adminSocket: String?
    @Argument(
        help: .value("session", "The session's ID, the first digits of it, or latest."),
        completion: .sessions)
    var session: String
    @Flag(help: "Compare every event with the recorded one.") var verify = false
    @Flag(help: "Show what this version or another profile would compute otherwise.")
    var diff = false
    @Option(
        help: .value("factor", "Times as fast as recorded, or max."), completion: .speeds)
    var speed = "1"
    @Option(
        help: .value("time", "First device time: seconds since 1970, or since the start."))
    var from: Double?
    @Option(
        help: .value("time", "Last device time: seconds since 1970, or since the start."))
    var until: Double?
    @Flag(help: "Begin again at the end, until stopped.") var loop = false
    @Option(
        help: .value("name", "Show it to the viewers of this share, by name or ID."),
        completion: .shares)
    var share: String?
    @OptionGroup(title: "Profile, for --diff") var profile: ProfileOptions

    func run() async throws {
        let pace = try PushCommand.pace(speed)
        if let share, let id = SessionID(session) { return try await play(id, to: share, pace) }
        let (id, reader) = try place.session(named: session)
        if let share { return try await play(id, to: share, pace) }
        if verify || diff { return try compare(id, reader) }
        let showing = SessionPrinter(session: id, reader: reader, pace: pace)
        repeat { try await showing.run(from: from, until: until) } while loop
    }

    func validate() throws {
        if !diff, try !profile.given.isEmpty {
            throw ValidationError("a profile is only for --diff: add it, or leave the profile out")
        }
        if share != nil, verify || diff {
            throw ValidationError("--share plays, --verify and --diff compare: choose one")
        }
    }

    private func play(_ session: SessionID, to share: String, _ pace: Double?) async throws {
        var admin = AdminOptions()
        admin.adminSocket = adminSocket
        admin.stateFolder = place.stateFolder
        admin.json = place.json
        var body: [String: any Sendable] = ["session": "\(session)", "loop": loop]
        body["speed"] = pace
        body["from"] = from
        body["until"] = until
        try await SharePlaying(admin: admin, share: share).run(body)
    }

    private func compare(_ id: SessionID, _ reader: LogReader) throws {
        var bar = ProgressBar("computing")
        let result = try ReplayVerification.run(id, reader: reader, change: try change()) {
            bar.update(done: $0, of: $1)
        }
        bar.finish()
        let report = ReplayReport(id, result)
        if place.json { try Terminal.say(encoded: report) } else { Terminal.say(report.text) }
        if diff { return }
        if let other = result.otherVersion {
            throw CommandFailure(
                "the session was computed by algorithm version \(other), this is"
                    + " \(ReplayReport.version): see what changed with --diff")
        }
        if result.differenceCount > 0 {
            throw CommandFailure("\(result.differenceCount) event(s) differ from the record")
        }
    }

    /// The change that `--diff` makes to the recorded profile; `nil`: verify.
    private func change() throws -> ((RunnerProfile) -> RunnerProfile)? {
        guard diff else { return nil }
        let json = Array(try JSONSerialization.data(withJSONObject: profile.given))
        do {
            _ = try RunnerProfile().changed(by: json)
        } catch { throw CommandFailure("\(error)", status: ExitStatus.wrongUse) }
        // Already checked above; the error of a bad field does not depend on the profile.
        return { (try? $0.changed(by: json)) ?? $0 }
    }
}
