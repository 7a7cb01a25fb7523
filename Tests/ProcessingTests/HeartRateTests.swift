import SensorModel
import Testing

@testable import Processing

@Suite struct HeartRateTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func beats(
        _ value: Double, contact: HeartRateSample.Contact = .unknown, rr: [UInt16] = []
    ) throws -> HeartRateSample {
        try HeartRateSample(beatsPerMinute: value, contact: contact, rrIntervals: rr)
    }

    @Test(arguments: [(1.0, 6.0), (3.0, 9.0), (5.0, 15.0), (9.0, 15.0)])
    func `A source is stale by its own rhythm, within 6 and 15 s`(
        interval: Double, stale: Double
    ) throws {
        var sources = HeartRateSources()
        for index in 0..<40 {
            _ = sources.add(try beats(140), source: "strap", at: at(Double(index) * interval))
        }
        let source = try #require(sources.currentSource)
        #expect(abs(sources.staleSeconds(source) - stale) < 0.01)
        let newest = 39 * interval
        #expect(sources.isLive(source, at: at(newest + stale - 0.1)))
        #expect(!sources.isLive(source, at: at(newest + stale + 0.1)))
    }

    @Test func `Off the skin nothing is live`() throws {
        var sources = HeartRateSources()
        #expect(sources.add(try beats(140), source: nil, at: at(0)) == .shown(140))
        #expect(sources.add(try beats(60, contact: .off), source: nil, at: at(1)) == .hidden)
        #expect(!sources.isLive(try #require(sources.currentSource), at: at(1)))
        #expect(sources.add(try beats(141, contact: .on), source: nil, at: at(2)) == .shown(141))
    }

    @Test func `A leap is believed with the third sample`() throws {
        var sources = HeartRateSources()
        var shown: [HeartRateSources.Taken] = []
        for (second, value) in [120.0, 121, 200, 122, 200, 201, 202].enumerated() {
            shown.append(sources.add(try beats(value), source: nil, at: at(Double(second))))
        }
        #expect(shown == [120, 121, 121, 122, 122, 122, 202].map { .shown($0) })
    }

    @Test(arguments: [(0.05, 1.0), (0.05, 1.9), (1, 1), (4, 4), (5, 5), (9, 9)])
    func `One wrong reading is not shown, however often or seldom the source tells it`(
        every: Double, lasts: Double
    ) throws {
        var sources = HeartRateSources()
        var highest = 0.0
        for index in 0..<400 {
            let second = Double(index) * every
            let isWrong = second >= 10 * every && second < 10 * every + lasts - 1e-6
            let taken = sources.add(
                try beats(isWrong ? 230 : 140), source: nil, at: at(second))
            if case .shown(let value) = taken { highest = max(highest, value) }
        }
        #expect(highest == 140)
    }

    /// Returns the value shown each second, for one reading a second.
    private func play(
        _ values: [Double], until last: Int
    ) throws -> (shown: [HeartRateMetric], pipeline: SessionPipeline) {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        var shown: [HeartRateMetric] = []
        for second in 0..<last {
            if second < values.count {
                pipeline.apply(
                    heartRate: try beats(values[second]), at: at(Double(second)), into: &events)
            } else {
                pipeline.applySilence(at: at(Double(second)), into: &events)
            }
            guard case .metrics(let metrics) = try #require(events.last).kind else { continue }
            shown.append(try #require(metrics.heartRate))
        }
        return (shown, pipeline)
    }

    @Test(arguments: [
        // One wrong reading; a lasting jump; jumps to and fro; changes that a heart can make.
        ([140.0, 140, 230, 141, 141], [140.0, 140, 140, 141, 141], [2], 1),
        ([90, 90, 150, 151, 152, 152], [90, 90, 90, 90, 152, 152], [2, 3], 2),
        ([140, 230, 140, 230, 140], [140, 140, 140, 140, 140], [1, 3], 2),
        ([140, 175, 140, 105], [140, 175, 140, 105], [], 0),
    ])
    func `A value is flagged while newer readings are doubted, and they are counted`(
        readings: [Double], values: [Double], flagged: [Int], count: Int
    ) throws {
        let (shown, pipeline) = try play(readings, until: readings.count)
        #expect(shown.map(\.beatsPerMinute) == values)
        #expect(shown.indices.filter { shown[$0].spikeSuspected } == flagged)
        #expect(pipeline.doubtedHeartRates == count)
    }

    @Test func `A source that falls silent on a doubted reading is stale and no longer flagged`()
        throws
    {
        let (shown, _) = try play([140, 140, 230], until: 12)
        #expect(shown.map(\.spikeSuspected) == (0..<12).map { (2...8).contains($0) })
        #expect(shown.map(\.state) == (0..<12).map { $0 <= 8 ? .live : .stale })
    }

    @Test func `The current source stays until it falls silent`() throws {
        var sources = HeartRateSources()
        for second in 0..<30 {
            _ = sources.add(try beats(150), source: "watch", at: at(Double(second)))
            _ = sources.add(try beats(151), source: "phone", at: at(Double(second) + 0.5))
        }
        #expect(sources.currentSource?.name == "watch")
        for second in 30..<40 {
            _ = sources.add(try beats(151), source: "phone", at: at(Double(second) + 0.5))
        }
        #expect(sources.currentSource?.name == "phone")
    }

    @Test func `A strap takes over once it has been live for ten seconds`() throws {
        var sources = HeartRateSources()
        for second in 0..<30 {
            _ = sources.add(try beats(150), source: "watch", at: at(Double(second)))
            guard second >= 5 else { continue }
            _ = sources.add(
                try beats(151, rr: [400]), source: "strap", at: at(Double(second) + 0.5))
            #expect(
                sources.currentSource?.name == (second >= 15 ? "strap" : "watch"), "\(second)")
        }
    }

    @Test func `RMSSD of intervals that alternate by 32 of 1024 s`() throws {
        var variability = HeartRateVariability()
        variability.add((0..<20).map { $0 % 2 == 0 ? 800 : 832 })
        let expected = 32.0 * 1000 / 1024
        #expect(abs(try #require(variability.rmssdMilliseconds) - expected) < 1e-9)
    }

    @Test func `A missed beat does not enter RMSSD`() {
        var variability = HeartRateVariability()
        variability.add([800, 800, 1600, 800, 800, 800, 800, 800, 800, 800, 800, 800])
        #expect(variability.rmssdMilliseconds == 0)
    }

    @Test func `The average weighs by time, 15 s at most`() {
        var totals = HeartRateTotals()
        _ = totals.add(100, zone: 1, zoneCount: 5, at: at(0))
        for index in 0..<20 {
            // Twenty equal values within a second count as one second.
            _ = totals.add(150, zone: 3, zoneCount: 5, at: at(10 + Double(index) / 20))
        }
        #expect(abs((totals.average(at: at(20)) ?? 0) - 125) < 1e-9)
        // 10 s at 100, then at most 15 s of the last value.
        #expect(
            abs((totals.average(at: at(1000)) ?? 0) - (1000 + 150 * 15.95) / 25.95) < 1e-9)
        #expect(totals.maximum == 150)
    }

    @Test(arguments: [(59.0, 59.0), (60, 0), (61, 0)])
    func `A pair of samples counts to the later one's zone within 60 s`(
        gap: Double, counted: Double
    ) {
        var totals = HeartRateTotals()
        _ = totals.add(100, zone: 1, zoneCount: 5, at: at(0))
        let added = totals.add(150, zone: 3, zoneCount: 5, at: at(gap))
        #expect(added == counted)
        #expect(totals.zoneSeconds == [0, 0, counted, 0, 0])
    }

    @Test func `Cadence lock is suspected after a minute of equality and forgotten after some`() {
        var lock = CadenceLock()
        for second in 0..<60 {
            #expect(!lock.isSuspected, "\(second)")
            lock.tick(beatsPerMinute: 164, stepsPerMinute: 165)
        }
        #expect(lock.isSuspected)
        for _ in 0..<60 { lock.tick(beatsPerMinute: 140, stepsPerMinute: 165) }
        #expect(!lock.isSuspected)
    }
}
