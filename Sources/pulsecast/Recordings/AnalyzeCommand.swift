import ArgumentParser
import Foundation
import Replay
import SensorModel

struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Computes a recording's metrics offline, as a live viewer would have seen them.",
        discussion: """
            Examples:
              pulsecast analyze run.fit --json
              pulsecast analyze latest --plot plots
              pulsecast analyze watch.fit --compare phone.gpx
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

    @Option(
        help: .value(
            "recording",
            "A second recording of the run, or what --json printed of it, of another version: both "
                + "side by side, and where they differ."),
        completion: .recordings)
    var compare: String?

    @Option(
        help: .value(
            "seconds",
            "Where the second recording begins in the first; found by their clocks otherwise."))
    var offset: Double?

    func validate() throws {
        guard let offset else { return }
        guard compare != nil, offset.magnitude <= AnalysisReport.secondsMax else {
            throw ValidationError("--offset takes a number of seconds, and needs --compare")
        }
    }

    func run() async throws {
        let first = try AnalyzedRecording(recording, in: place, placement: try knownPlacement())
        let (analysis, source) = (first.analysis, first.source)
        guard let compare else {
            try draw(analysis)
            if place.json { return Terminal.say(json: Array(analysis.jsonText.utf8)) }
            return Terminal.say(Self.summary(of: source, analysis))
        }
        let (second, start) = try other(compare)
        let begin = offset ?? Self.offset(of: start, in: first)
        try draw(analysis, beside: second, from: begin)
        let report = ComparisonReport(
            names: (recording, compare), offsetSeconds: begin,
            comparison: AnalysisComparison(
                AnalysisReport(analysis), second, offsetSeconds: begin))
        if place.json { return Terminal.say(json: try report.json) }
        Terminal.say(report.text)
    }

    private func knownPlacement() throws -> RunnerProfile.Placement? {
        guard let placement else { return nil }
        guard let known = RunnerProfile.Placement(rawValue: placement) else {
            throw CommandFailure(
                "\(placement) is no placement: use wrist, ankle, hip, pocket or hand",
                status: ExitStatus.wrongUse)
        }
        return known
    }

    /// - Returns: The second analysis, and when its recording began; `nil` for a saved analysis.
    private func other(_ path: String) throws -> (AnalysisReport, Timestamp?) {
        guard path.hasSuffix(".json") else {
            let read = try AnalyzedRecording(path, in: place, placement: try knownPlacement())
            return (AnalysisReport(read.analysis), read.start)
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read: check its name and permissions")
        }
        guard let report = AnalysisReport(json: Array(data)) else {
            throw CommandFailure(
                "\(path) is not what pulsecast analyze --json prints: make it with that")
        }
        return (report, nil)
    }

    /// Recordings of one run overlap; of two runs, both begin at second 0.
    private static func offset(of start: Timestamp?, in first: AnalyzedRecording) -> Double {
        guard let start, let begin = first.start else { return 0 }
        let seconds = start.seconds(since: begin)
        return seconds.magnitude < first.analysis.final.elapsedSeconds ? seconds : 0
    }

    private func draw(
        _ analysis: RecordingAnalysis, beside other: AnalysisReport? = nil, from offset: Double = 0
    ) throws {
        guard let plot else { return }
        let name = URL(fileURLWithPath: recording).lastPathComponent
        let picture = RecordingPlot(
            title: name, analysis: analysis, truth: try TruthSeries.read(beside: recording),
            other: other?.series ?? [], otherOffsetSeconds: offset)
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

    private static func name(of slope: RunShares.Slope) -> String {
        switch slope {
        case .steepDown: "down, above 15 %"
        case .moderateDown: "down, 5 to 15 %"
        case .flat: "flat, below 5 %"
        case .moderateUp: "up, 5 to 15 %"
        case .steepUp: "up, above 15 %"
        }
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
        let shares = RunShares(analysis.series)
        for slope in RunShares.Slope.allCases {
            guard let meters = shares.meters[slope] else { continue }
            table.add([name(of: slope), text(meters, "m")])
        }
        table.add(["pauses", "\(analysis.pauses.count)"])
        table.add(["splits", "\(analysis.splits.count)"])
        for reached in analysis.checkpoints {
            table.add([reached.checkpoint, "reached at " + text(reached.elapsedSeconds, "s")])
        }
        return table.text
    }
}
