import SensorModel
import Testing

@testable import Processing

@Suite struct IntervalTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func moment(
        _ seconds: Double, meters: Double?, beatsPerMinute: Double = 0
    ) -> Intervals.Moment {
        Intervals.Moment(
            time: at(seconds), meters: meters, heartRate: (beatsPerMinute * seconds, seconds))
    }

    private func plan(_ text: String) throws -> IntervalPlan {
        try #require(IntervalPlan(text: text))
    }

    private func ended(_ changes: [Intervals.Change]) -> [Interval] {
        changes.compactMap { if case .ended(let interval) = $0 { interval } else { nil } }
    }

    /// Runs at 3 m/s and 150 beats/min, with updates every `every` seconds.
    private func run(
        _ text: String, seconds: Double, every: Double, paused: ClosedRange<Double>? = nil
    ) throws -> [Intervals.Change] {
        var intervals = Intervals(plan: try plan(text), from: moment(0, meters: 0))
        var changes: [Intervals.Change] = []
        for second in stride(from: 0.0, through: seconds, by: every) {
            let rest = paused.map {
                min(max(second - $0.lowerBound, 0), $0.upperBound - $0.lowerBound)
            }
            changes += intervals.update(
                to: moment(second, meters: 3 * (second - (rest ?? 0)), beatsPerMinute: 150),
                isPaused: paused.map { $0.lowerBound < second && second <= $0.upperBound } ?? false,
                speed: 3)
        }
        return changes
    }

    @Test(arguments: [1.0, 7, 60])
    func `Phases end at their marks however seldom it is told`(every: Double) throws {
        let all = ended(try run("100s,600m,50s,300m", seconds: 900, every: every))
        let ends = [100.0, 300, 350, 450]
        #expect(all.map(\.number) == [1, 2, 3, 4])
        #expect(all.allSatisfy { $0.count == 4 })
        for (interval, end) in zip(all, ends) {
            #expect(abs(interval.end.seconds(since: at(end))) < 1e-5)
            #expect(abs((interval.paceSecondsPerKm ?? 0) - 1000 / 3) < 1e-5)
            #expect(abs((interval.averageHeartRate ?? 0) - 150) < 1e-9)
        }
        for (one, next) in zip(all, all.dropFirst()) { #expect(one.end == next.start) }
        #expect(abs(all[1].seconds - 200) < 1e-5)
        #expect(abs((all[2].distanceMeters ?? 0) - 150) < 1e-5)
    }

    @Test func `Each phase begins, counts down once and ends`() throws {
        let changes = try run("20s,60m", seconds: 100, every: 1)
        let names = changes.map { change in
            switch change {
            case .started(let start): "start \(start.number)"
            case .ending(let number, _): "ending \(number)"
            case .ended(let interval): "end \(interval.number)"
            }
        }
        #expect(names == ["start 1", "ending 1", "end 1", "start 2", "ending 2", "end 2"])
    }

    @Test func `A tick between two fixes does not move the mark of a distance`() throws {
        var intervals = Intervals(plan: try plan("100m,100m"), from: moment(0, meters: 0))
        var changes: [Intervals.Change] = []
        for second in 1...100 {
            let now = Double(second)
            for isMeasured in [false, true] {
                changes += intervals.update(
                    to: moment(now, meters: 3 * (isMeasured ? now : now - 1)),
                    isMeasured: isMeasured, isPaused: false, speed: 3)
            }
        }
        for interval in ended(changes) {
            #expect(abs(interval.seconds - 100 / 3) < 1e-4)
            #expect(abs((interval.distanceMeters ?? 0) - 100) < 1e-6)
        }
        #expect(ended(changes).count == 2)
    }

    @Test(arguments: [1.0, 5])
    func `A phase by time that ends between two fixes takes nothing from the next`(
        every: Double
    ) throws {
        var intervals = Intervals(
            plan: try plan("32s,200m,32s,200m,31s"), from: moment(0, meters: 0))
        var changes: [Intervals.Change] = []
        // A fix 0.3 s after the tick of its second.
        for second in 0...240 {
            let now = Double(second)
            let told = max(0, ((now - 0.5) / every).rounded(.down) * every + 0.3)
            changes += intervals.update(
                to: moment(now, meters: second == 0 ? 0 : 3 * told), isMeasured: false,
                isPaused: false, speed: 3)
            guard now.truncatingRemainder(dividingBy: every) == 0 else { continue }
            changes += intervals.update(
                to: moment(now + 0.3, meters: 3 * (now + 0.3)), isPaused: false, speed: 3)
        }
        let all = ended(changes)
        #expect(all.count == 5)
        for interval in all {
            #expect(abs((interval.paceSecondsPerKm ?? 0) - 1000 / 3) < 0.01)
        }
    }

    @Test func `A pause by hand stops the time of a phase`() throws {
        let all = ended(try run("100s", seconds: 200, every: 1, paused: 40...70))
        #expect(abs((all.first?.end.seconds(since: at(130)) ?? 1)) < 1e-5)
        #expect(abs((all.first?.seconds ?? 0) - 100) < 1e-5)
        #expect(abs((all.first?.distanceMeters ?? 0) - 300) < 1e-5)
    }

    @Test func `Without position a phase by time has no distance`() throws {
        var intervals = Intervals(plan: try plan("10s,50m"), from: moment(0, meters: nil))
        let changes = intervals.update(to: moment(30, meters: nil), isPaused: false, speed: nil)
        #expect(ended(changes).map(\.distanceMeters) == [nil])
        #expect(intervals.progress?.number == 2)
        #expect(intervals.progress?.metersLeft == 50)
    }

    @Test func `The highest heart rate is the phase's own`() throws {
        var intervals = Intervals(plan: try plan("10s,10s"), from: moment(0, meters: nil))
        _ = intervals.update(to: moment(0, meters: nil), isPaused: false, speed: nil)
        intervals.note(beatsPerMinute: 170)
        let first = ended(
            intervals.update(to: moment(10, meters: nil), isPaused: false, speed: nil))
        intervals.note(beatsPerMinute: 160)
        let second = ended(
            intervals.update(to: moment(20, meters: nil), isPaused: false, speed: nil))
        #expect((first + second).map(\.maxHeartRate) == [170, 160])
    }

    // MARK: In a session

    private func events(of profile: RunnerProfile, changing: RunnerProfile? = nil) throws
        -> [StreamEvent]
    {
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        for second in 0...120 {
            if second == 60, let changing {
                pipeline.apply(profile: changing, at: at(59.9), into: &events)
            }
            let sample = try HeartRateSample(beatsPerMinute: 140)
            pipeline.apply(heartRate: sample, at: at(Double(second)), into: &events)
        }
        return events
    }

    @Test func `The plan begins with the session, and its progress is shown`() throws {
        var profile = RunnerProfile()
        profile.intervals = try plan("30s,60s")
        let all = try events(of: profile)
        let starts = all.compactMap { event in
            if case .intervalStarted(let start) = event.kind { start } else { nil }
        }
        #expect(starts.map(\.since) == [at(0), at(30)])
        let ends = all.compactMap { event in
            if case .intervalEnded(let interval) = event.kind { interval } else { nil }
        }
        #expect(ends.map(\.end) == [at(30), at(90)])
        #expect(ends.map(\.averageHeartRate) == [140, 140])
        let shown = all.compactMap { event in
            if case .metrics(let metrics) = event.kind { metrics } else { nil }
        }
        #expect(shown.first { $0.elapsedSeconds == 40 }?.interval?.secondsLeft == 50)
        #expect(shown.last?.interval == nil)
    }

    @Test func `Another plan begins when it is set; the same goes on`() throws {
        var first = RunnerProfile()
        first.intervals = try plan("100s")
        var second = first
        second.raceKm = 10
        func starts(_ events: [StreamEvent]) -> [Timestamp] {
            events.compactMap { event in
                if case .intervalStarted(let start) = event.kind { start.since } else { nil }
            }
        }
        #expect(starts(try events(of: first, changing: second)) == [at(0)])
        second.intervals = try plan("20s")
        #expect(starts(try events(of: first, changing: second)) == [at(0), at(59)])
        second.intervals = nil
        let none = try events(of: first, changing: second)
        #expect(starts(none) == [at(0)])
        #expect(!none.contains { if case .intervalEnded = $0.kind { true } else { false } })
    }
}
