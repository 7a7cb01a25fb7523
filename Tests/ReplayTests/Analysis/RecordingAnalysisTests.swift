import Processing
import Replay
import SensorModel
import Simulator
import Testing

@Suite struct RecordingAnalysisTests {
    private func frames(seed: UInt64, minutes: Double, shift: Double = 0) -> [Frame] {
        var settings = RunnerSettings()
        settings.motionRate = 20
        settings.samplesPerFrame = 20
        settings.startTime = settings.startTime.advanced(bySeconds: shift)
        var runner = SimulatedRunner(
            seed: seed, plan: .city(minutes: minutes, seed: seed), settings: settings)
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        return frames
    }

    private func line(_ row: RecordingAnalysis.Row) -> String { "\(row.t) \(row.metrics)" }

    @Test func `A row a second, none of which knows what came later`() throws {
        let frames = frames(seed: 3, minutes: 6)
        let whole = RecordingAnalysis(frames: frames, profile: RunnerProfile())
        let cut = RecordingAnalysis(
            frames: frames.prefix(frames.count * 6 / 10), profile: RunnerProfile())
        let last = try #require(frames.last?.deviceTime)
        let length = last.seconds(since: frames[0].deviceTime)
        #expect(abs(whole.final.elapsedSeconds - length) < 1e-6)
        #expect(Double(whole.series.count) >= length)
        for (first, second) in zip(whole.series, whole.series.dropFirst()) {
            #expect(abs(second.t - first.t - 1) < 1e-6)
        }
        for (early, late) in zip(cut.series.dropLast(2), whole.series) {
            #expect(line(early) == line(late))
        }
    }

    @Test func `Times count from the first record wherever the second begins`() {
        let analysis = RecordingAnalysis(
            frames: frames(seed: 3, minutes: 1, shift: 0.37), profile: RunnerProfile())
        #expect(abs((analysis.series.first?.t ?? 0) - 0.63) < 1e-6)
    }

    @Test func `Pauses are in order and their sum is what the summary says`() {
        let analysis = RecordingAnalysis(
            frames: frames(seed: 5, minutes: 10), profile: RunnerProfile())
        let end = analysis.final.elapsedSeconds
        var sum = 0.0
        var before = 0.0
        for pause in analysis.pauses {
            #expect(pause.start >= before)
            before = pause.end ?? end
            sum += before - pause.start
        }
        #expect(!analysis.pauses.isEmpty)
        #expect(abs(sum - analysis.final.pausedSeconds) < 1e-6)
    }

    @Test func `The text is one object whose missing values are null`() throws {
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        let beats = try HeartRateSample(beatsPerMinute: 141.5)
        let analysis = RecordingAnalysis(
            frames: (0..<3).map {
                Frame(
                    sequence: .none, deviceTime: start.advanced(bySeconds: Double($0)),
                    payload: .heartRate(beats))
            }, profile: RunnerProfile())
        let text = analysis.jsonText
        #expect(text.hasPrefix(#"{"summary":{"durationSeconds":2,"movingSeconds":2,"#))
        #expect(text.contains(#""distanceMeters":null"#))
        #expect(text.contains(#""steps":null"#))
        #expect(text.contains(#""averageHeartRate":141.5"#))
        #expect(
            text.contains(
                #"{"t":2,"cadence":null,"cadenceConfidence":null,"steps":null,"#
                    + #""distanceMeters":null,"speed":null,"bpm":141.5,"zone":3,"paused":false}"#))
        #expect(!text.contains("nan"))
    }

    @Test func `Readings that were left out are counted`() throws {
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        let analysis = RecordingAnalysis(
            frames: try (0..<60).map { second in
                let beats = try HeartRateSample(beatsPerMinute: second % 20 == 10 ? 230 : 140)
                return Frame(
                    sequence: .none, deviceTime: start.advanced(bySeconds: Double(second)),
                    payload: .heartRate(beats))
            }, profile: RunnerProfile())
        #expect(analysis.doubtedHeartRates == 3)
        #expect(analysis.jsonText.contains(#""maxHeartRate":140,"doubtedHeartRates":3,"#))
    }

    @Test(arguments: [(60, 100.0, "excellent"), (45, 75.0, "good"), (9, 15.0, "poor")])
    func `The summary says how well the target zone was kept`(
        seconds: Int, percent: Double, word: String
    ) throws {
        var profile = RunnerProfile()
        profile.targetZone = 3
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        let analysis = RecordingAnalysis(
            frames: try (0..<61).map { second in
                let beats = try HeartRateSample(beatsPerMinute: second <= seconds ? 141 : 120)
                return Frame(
                    sequence: .none, deviceTime: start.advanced(bySeconds: Double(second)),
                    payload: .heartRate(beats))
            }, profile: profile)
        #expect(analysis.compliance == word)
        #expect(abs(try #require(analysis.final.targetZonePercent) - percent) < 1e-9)
        #expect(analysis.jsonText.contains(#""targetZonePercent":\#(Int(percent)),"#))
    }

    @Test func `A clock set forward by years makes no rows for them`() throws {
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        let beats = try HeartRateSample(beatsPerMinute: 120)
        let times = (0..<60).map { Double($0) } + (0..<60).map { 3e8 + Double($0) }
        let analysis = RecordingAnalysis(
            frames: times.map {
                Frame(
                    sequence: .none, deviceTime: start.advanced(bySeconds: $0),
                    payload: .heartRate(beats))
            }, profile: RunnerProfile())
        #expect(analysis.series.count < 130)
        #expect(analysis.final.elapsedSeconds < 130)
    }
}
