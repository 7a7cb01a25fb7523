import SensorModel
import Simulator
import Testing

@testable import Replay

@Suite struct AnalysisComparisonTests {
    private static func report(_ json: String) throws -> AnalysisReport {
        try #require(AnalysisReport(json: Array(json.utf8)))
    }

    private static func rows(_ bpm: [Double?], from start: Int = 0) -> String {
        bpm.enumerated().map {
            "{\"t\":\(start + $0.offset),\"bpm\":\($0.element.map { "\($0)" } ?? "null")}"
        }
        .joined(separator: ",")
    }

    @Test func `A run is the same as itself, with every figure and each second`() throws {
        var runner = SimulatedRunner(
            seed: 3, plan: .city(minutes: 8, seed: 3), settings: RunnerSettings())
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        let analysis = RecordingAnalysis(frames: frames, profile: RunnerProfile())
        let report = AnalysisReport(analysis)
        #expect(report.series.count == analysis.series.count)
        let meters = try #require(report.figures.first { $0.name == "distanceMeters" }?.value)
        #expect(abs(meters - (analysis.final.distanceMeters ?? 0)) <= 0.005)
        let comparison = AnalysisComparison(report, report)
        #expect(comparison.isSame)
        let seconds = comparison.distances.first { $0.quantity == .heartRate }?.seconds
        #expect(seconds == analysis.series.count { $0.metrics.heartRate?.state == .live })
    }

    @Test func `What differs is named, with its size and second`() throws {
        let first = try Self.report(
            """
            {"summary":{"steps":100,"zoneSeconds":[1],"climb":null,"old":3},
             "pauses":[{"start":10,"end":20},{"start":50,"end":null}],
             "splits":[{"km":1,"seconds":300}],
             "series":[\(Self.rows([100, 110, nil, 120]))]}
            """)
        let second = try Self.report(
            """
            {"summary":{"steps":90,"climb":null,"new":7},
             "pauses":[{"start":15,"end":16},{"start":30,"end":40}],
             "splits":[{"km":1,"seconds":303},{"km":2,"seconds":310}],
             "series":[\(Self.rows([100, 104, 105, nil]))]}
            """)
        let comparison = AnalysisComparison(first, second)
        #expect(!comparison.isSame)
        #expect(
            comparison.figures == [
                .init(name: "steps", first: 100, second: 90), .init(name: "old", first: 3),
                .init(name: "new", second: 7),
            ])
        #expect(
            comparison.distances == [
                .init(
                    quantity: .heartRate, seconds: 2, mean: 3, largest: -6, largestAt: 1,
                    onlyFirst: 1, onlySecond: 1)
            ])
        #expect(comparison.pausesOnlyInFirst == [.init(start: 50)])
        #expect(comparison.pausesOnlyInSecond == [.init(start: 30, end: 40)])
        #expect(comparison.splits.map(\.0) == [300] && comparison.splits.map(\.1) == [303])
    }

    @Test func `A recording that began later is moved to the first one's time`() throws {
        let first = try Self.report(
            "{\"summary\":{},\"series\":[\(Self.rows([100, 101, 102, 103]))]}")
        let second = try Self.report(
            "{\"summary\":{},\"pauses\":[{\"start\":1}],\"series\":[\(Self.rows([102, 103]))]}")
        let moved = AnalysisComparison(first, second, offsetSeconds: 2.2)
        let distance = try #require(moved.distances.first)
        #expect(distance.seconds == 2 && distance.largestAt == nil && distance.onlyFirst == 2)
        #expect(moved.pausesOnlyInSecond == [.init(start: 3.2)])
    }

    @Test func `Times beyond any recording are left out`() throws {
        let rows = "{\"t\":1e300,\"bpm\":1},{\"t\":-1e19,\"bpm\":1},{\"t\":2,\"bpm\":1}"
        let report = try Self.report("{\"summary\":{},\"series\":[\(rows)]}")
        #expect(report.series.map(\.t) == [2])
        #expect(AnalysisComparison(report, report, offsetSeconds: 1e9).distances.count == 1)
    }

    @Test(arguments: ["", "{}", "[1]", "{\"summary\":{}}", "{\"series\":[]}", "{\"summary\":1"])
    func `Other JSON is no analysis`(text: String) {
        #expect(AnalysisReport(json: Array(text.utf8)) == nil)
    }
}
