import SensorModel
import Sessions
import Testing

/// How many copies of a run are found, and how many different runs are taken for one.
@Suite struct DuplicateFiguresTests {
    /// As an import decides: enough time in common, and the same values in it.
    private static func areOne(_ pair: SimulatedPairs.Pair) -> Bool {
        guard let file = times(pair.file), let session = times(pair.session),
            RunOverlap.share(file, session) >= RunOverlap.shareMin
        else { return false }
        var match = RecordingMatch(pair.file)
        let compared = RecordingMatch.window(of: file)
        for frame in pair.session where compared.contains(frame.deviceTime) { match.note(frame) }
        return match.isSameRun
    }

    private static func times(_ run: [Frame]) -> ClosedRange<Timestamp>? {
        guard let first = run.first, let last = run.last else { return nil }
        return first.deviceTime...last.deviceTime
    }

    /// 1,000 pairs in all.
    @Test(arguments: SimulatedPairs.Difference.allCases)
    func `Of 100 pairs of different runs none is taken for one run`(
        difference: SimulatedPairs.Difference
    ) {
        var pairs = SimulatedPairs(seed: 22)
        let wrong = (0..<100).count { _ in Self.areOne(pairs.pair(difference)) }
        #expect(wrong == 0)
    }

    @Test(arguments: SimulatedPairs.Copy.allCases)
    func `Of 120 copies of a run, with positions, heart rates or both, 119 are found`(
        copy: SimulatedPairs.Copy
    ) {
        var pairs = SimulatedPairs(seed: 4)
        let sensors = (0..<40).flatMap { _ in SimulatedPairs.Sensors.allCases }
        let found = sensors.count { Self.areOne(pairs.pair(copy, $0)) }
        #expect(found >= 119, "\(found)")
    }
}
