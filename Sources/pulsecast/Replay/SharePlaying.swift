import Dispatch
import Foundation

/// Plays a recorded session to the viewers of a share, for as long as the command runs.
struct SharePlaying {
    let admin: AdminOptions
    let share: String

    private struct Row: Decodable {
        let session: String
        let position: Double?
        let from: Double
        let until: Double
        let durationSeconds: Double
        let viewers: Int
    }

    /// - Parameter body: Session, speed, from, until and loop, under their names in the daemon's
    ///   API.
    /// - Throws: ``CommandFailure`` with the daemon's reason.
    func run(_ body: [String: any Sendable]) async throws {
        let path = "/shares/\(segment(share))/playback"
        var row = try JSONDecoder().decode(
            Row.self, from: await admin.ask("POST", path, body: body))
        let interrupted = Self.interruption()
        defer { interrupted.cancel() }
        var bar = ProgressBar("playing")
        var viewersMost = row.viewers
        while let position = row.position, !interrupted.isCancelled {
            if let done = ServerValue.number(position - row.from),
                let whole = ServerValue.number(row.until - row.from)
            {
                bar.update(done: Int(done), of: Int(whole))
            }
            viewersMost = max(viewersMost, row.viewers)
            try await Task.sleep(for: .seconds(min(1, max(0.05, row.durationSeconds / 4))))
            do {
                let answer = try await admin.ask("POST", path + "/renew")
                row = try JSONDecoder().decode(Row.self, from: answer)
            } catch is CommandFailure { break }
        }
        bar.finish()
        // Without an interruption the playback is already over, so a failure here is normal.
        _ = try? await admin.ask("DELETE", path)
        if admin.json {
            try Terminal.say(
                encoded: Played(session: row.session, share: share, viewers: viewersMost))
        } else {
            Terminal.say("played \(row.session) to \(viewersMost) viewer(s)")
        }
    }

    private struct Played: Encodable {
        let session: String
        let share: String
        /// Highest number at one time.
        let viewers: Int
    }

    /// Ctrl-C ends the playback in order: the viewers return to the live stream.
    private static func interruption() -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { source.cancel() }
        source.resume()
        return source
    }
}
