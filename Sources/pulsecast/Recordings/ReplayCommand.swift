import ArgumentParser
import Foundation
import Replay
import SegmentLog
import SensorModel
import Sharing

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Computes a recorded session again, or plays it through the live pipeline.",
        discussion: """
            --verify computes every event again from the raw frames on disk and compares it byte
            for byte with the recorded one; it exits 1 on a difference. Without it the session's
            events are printed in their own time, one JSON object a line.
            """)

    @OptionGroup var place: LogPlace
    @Argument(help: "The session's ID.") var session: String
    @Flag(help: "Compare every event with the recorded one.") var verify = false
    @Flag(help: "Show what this version or another profile would compute otherwise.")
    var diff = false
    @Option(help: "For --diff: zones as device set takes them.") var maxHeartRate: Int?
    @Option(help: "Times as fast as recorded, or max.") var speed = "1"
    @Option(help: "First device time, seconds since 1970.") var from: Double?
    @Option(help: "Last device time, seconds since 1970.") var until: Double?
    @Flag(help: "Begin again at the end, until stopped.") var loop = false

    func run() async throws {
        let id = try PushCommand.sessionID(session)
        let reader = try place.reader()
        if verify || diff { return try compare(id, reader) }
        let pace = try PushCommand.pace(speed)
        repeat { try await play(id, reader, pace) } while loop
    }

    private func compare(_ id: SessionID, _ reader: LogReader) throws {
        var profile: RunnerProfile?
        if diff, let maxHeartRate {
            var other = RunnerProfile()
            other.maxHeartRate = maxHeartRate
            profile = other
        }
        var bar = ProgressBar("computing")
        let result = try ReplayVerification.run(id, reader: reader, profile: profile) {
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

    private func play(_ id: SessionID, _ reader: LogReader, _ pace: Double?) async throws {
        guard let summary = reader.sessions().first(where: { $0.session == id }) else {
            throw CommandFailure("\(ReplayError.unknownSession(id))")
        }
        let first = from.flatMap(Timestamp.init(secondsSince1970:))
        let last = until.flatMap(Timestamp.init(secondsSince1970:))
        var events: [(time: Timestamp, json: [UInt8])] = []
        var view = HistoryView(epoch: 1, scope: .all, privacy: .none)
        try reader.read(from: summary.firstOffset, session: id) { header, payload in
            guard let record = try? SessionRecord(header, payload: payload),
                case .event(let event) = record,
                first.map({ event.deviceTime >= $0 }) ?? true,
                let json = view.item(of: event, at: header.offset)
            else { return true }
            if let last, event.deviceTime > last { return false }
            events.append((event.deviceTime, json))
            return true
        }
        var shown = events.first?.time
        for event in events {
            if let pace, let previous = shown {
                let wait = event.time.seconds(since: previous) / pace
                if wait > 0 { try await Task.sleep(for: .seconds(wait)) }
                shown = max(previous, event.time)
            }
            Terminal.say(json: event.json)
        }
    }
}

/// What `replay --verify` found.
struct ReplayReport: Encodable {
    static let version = SessionComputation(profile: RunnerProfile()).version

    struct Difference: Encodable {
        let offset: UInt64?
        let recorded: String?
        let computed: String?
    }

    let session: String
    let frames: Int
    let events: Int
    let differing: Int
    let unrecorded: Int
    let algorithmVersion: UInt16
    let recordedVersion: UInt16
    let differences: [Difference]

    init(_ session: SessionID, _ result: ReplayVerification) {
        self.session = "\(session)"
        frames = result.frames
        events = result.events
        differing = result.differenceCount
        unrecorded = result.unrecorded
        algorithmVersion = Self.version
        recordedVersion = result.otherVersion ?? Self.version
        differences = result.differences.map {
            Difference(
                offset: $0.offset?.rawValue, recorded: $0.recorded.map { "\($0)" },
                computed: $0.computed.map { "\($0)" })
        }
    }

    var text: String {
        var lines = ["\(frames) frames, \(events) events, \(differing) differ"]
        if unrecorded > 0 { lines.append("\(unrecorded) event(s) are computed and not recorded") }
        for difference in differences {
            lines.append("at record \(difference.offset.map(String.init) ?? "–"):")
            lines.append("  recorded \(difference.recorded ?? "nothing")")
            lines.append("  computed \(difference.computed ?? "nothing")")
        }
        return lines.joined(separator: "\n")
    }
}
