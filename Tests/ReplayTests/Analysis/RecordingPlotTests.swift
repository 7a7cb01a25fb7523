import Foundation
import FoundationXML
import Processing
import Replay
import SensorModel
import Simulator
import Testing

@Suite struct RecordingPlotTests {
    /// Counts elements by name and class, and keeps the points of lines.
    private final class SVGCounter: NSObject, XMLParserDelegate {
        private(set) var counts: [String: Int] = [:]
        private(set) var points: [String: Int] = [:]
        private(set) var words = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String] = [:]
        ) {
            let key = attributes["class"].map { "\(name).\($0)" } ?? name
            counts[key, default: 0] += 1
            points[key, default: 0] += attributes["points"]?.split(separator: " ").count ?? 0
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { words += string }

        /// - Returns: `nil` if the text is not XML.
        static func read(_ svg: String) -> SVGCounter? {
            let parser = XMLParser(data: Data(svg.utf8))
            let counter = SVGCounter()
            parser.delegate = counter
            return parser.parse() ? counter : nil
        }
    }

    private func analysis(minutes: Double) -> RecordingAnalysis {
        var settings = RunnerSettings()
        settings.motionRate = 20
        settings.samplesPerFrame = 20
        var runner = SimulatedRunner(
            seed: 5, plan: .city(minutes: minutes, seed: 5), settings: settings)
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        return RecordingAnalysis(frames: frames, profile: RunnerProfile())
    }

    @Test func `The picture is XML and holds every series, its band, its pauses and the truth`()
        throws
    {
        let analysis = analysis(minutes: 10)
        let truth = stride(from: 0.0, to: 600, by: 10).map {
            RecordingPlot.Truth(
                t: $0, distanceMeters: 3 * $0, cadence: $0 < 300 ? 170 : nil, steps: 2.8 * $0)
        }
        let plot = RecordingPlot(title: "a<b & \u{1}c", analysis: analysis, truth: truth)
        let found = try #require(SVGCounter.read(plot.svg))
        #expect(found.counts["g"] == 5)
        let rows = analysis.series.map(\.metrics)
        let values =
            rows.count { $0.heartRate != nil } + rows.count { $0.cadence?.stepsPerMinute != nil }
            + rows.count { $0.steps != nil } + rows.count { $0.speedMetersPerSecond != nil }
            + rows.count { $0.distanceMeters != nil }
        #expect(found.points["polyline.estimate"] == values)
        #expect(found.points["polyline.truth"] == 30 + 60 + 60)
        #expect(found.points["polyline.share"] == rows.count { $0.cadence != nil })
        #expect(
            found.points["polygon.band"] == 2 * rows.count { $0.distanceUncertaintyMeters != nil })
        #expect(found.counts["rect.pause"] == 5 * analysis.pauses.count)
        #expect(!analysis.pauses.isEmpty)
        #expect(found.words.contains("a<b &  c"))
    }

    @Test func `A recording of nothing is an empty picture`() throws {
        let nothing = RecordingAnalysis(frames: [], profile: RunnerProfile())
        let found = try #require(
            SVGCounter.read(RecordingPlot(title: "", analysis: nothing).svg))
        #expect(found.counts["g"] == nil)
    }
}
