import ArgumentParser
import Foundation
import Recordings
import Replay
import Runtime
import SensorModel

struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Computes a recording's metrics offline, as a live viewer would have seen them.",
        discussion: """
            Examples:
              pulsecast analyze run.fit --json
              pulsecast analyze latest --plot plots
            """)

    @Argument(
        help: .value(
            "recording",
            "A FIT, GPX, TCX, CSV or NDJSON file, a neutral folder, or a session's ID or latest."),
        completion: .recordings)
    var recording: String

    /// The log that holds the session, and `--json`: one object with the whole time series.
    @OptionGroup var place: LogPlace

    @Option(
        help: .value("place", "Where the sensor was worn: wrist, ankle, hip, pocket or hand."),
        completion: .placements)
    var placement: String?

    @Option(
        help: .value(
            "folder", "Also draw the series as NAME.svg in this folder, over the truth if known."),
        completion: .directory)
    var plot: String?

    func run() async throws {
        var profile = RunnerProfile()
        let frames: [Frame]
        let source: String
        var imported: RecordingAnalysis.Imported?
        var course: Course?
        let isName = recording == "latest" || SessionPrefix(recording) != nil
        if isName, !FileManager.default.fileExists(atPath: recording) {
            let (session, reader) = try place.session(named: recording)
            let recorded = try SessionFrames(session, reader: reader)
            (frames, profile, source) = (recorded.frames, recorded.profile, "session")
            course = recorded.course
        } else {
            let recording = try RecordingFile.read(recording)
            recording.tellNotes()
            imported = RecordingAnalysis.Imported(
                refused: recording.refused.counts, dropped: recording.dropped.counts,
                replaced: recording.replaced.counts)
            (frames, source) = (recording.frames, recording.format.name)
        }
        if let placement {
            guard let known = RunnerProfile.Placement(rawValue: placement) else {
                throw CommandFailure(
                    "\(placement) is no placement: use wrist, ankle, hip, pocket or hand",
                    status: ExitStatus.wrongUse)
            }
            profile.placement = known
        }
        var analysis = RecordingAnalysis(frames: frames, profile: profile, course: course)
        analysis.imported = imported
        try draw(analysis)
        if place.json { return Terminal.say(json: Array(analysis.jsonText.utf8)) }
        Terminal.say(Self.summary(of: source, analysis))
    }

    private func draw(_ analysis: RecordingAnalysis) throws {
        guard let plot else { return }
        let name = URL(fileURLWithPath: recording).lastPathComponent
        let picture = RecordingPlot(
            title: name, analysis: analysis, truth: try TruthSeries.read(beside: recording))
        let path = plot + "/" + name + ".svg"
        do {
            try FileManager.default.createDirectory(
                atPath: plot, withIntermediateDirectories: true)
            try Data(picture.svg.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
        Terminal.complain("drawn: \(path)")
    }

    private static func summary(of source: String, _ analysis: RecordingAnalysis) -> String {
        let metrics = analysis.final
        func text(_ value: Double?, _ unit: String, digits: Int = 0) -> String {
            value.map { String(format: "%.\(digits)f \(unit)", $0) } ?? "–"
        }
        var table = TextTable(header: ["", source])
        table.add(["duration", text(metrics.elapsedSeconds, "s")])
        table.add(["moving", text(metrics.movingSeconds, "s")])
        table.add(["distance", text(metrics.distanceMeters, "m", digits: 1)])
        table.add(["steps", metrics.steps.map(String.init) ?? "–"])
        table.add(["cadence", text(metrics.averageCadence, "steps/min", digits: 1)])
        table.add(["heart rate", text(metrics.averageHeartRate, "beats/min", digits: 1)])
        if analysis.doubtedHeartRates > 0 {
            table.add(["left out of it", "\(analysis.doubtedHeartRates) doubted readings"])
        }
        if let percent = metrics.targetZonePercent, let compliance = analysis.compliance {
            table.add(["in target zone", text(percent, "% (\(compliance))")])
        }
        table.add(["climb", text(metrics.elevationGainMeters, "m")])
        table.add(["pauses", "\(analysis.pauses.count)"])
        table.add(["splits", "\(analysis.splits.count)"])
        for reached in analysis.checkpoints {
            table.add([reached.checkpoint, "reached at " + text(reached.elapsedSeconds, "s")])
        }
        return table.text
    }
}
