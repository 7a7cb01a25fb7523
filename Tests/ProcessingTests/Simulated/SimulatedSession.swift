import Processing
import SensorModel
import Simulator
import Testing

/// A simulated run through the pipeline, with its metrics and the truth for each second.
struct SimulatedSession {
    struct Row {
        let truth: RunnerTruth
        let metrics: Metrics
    }

    let rows: [Row]
    /// All events except metrics.
    let events: [StreamEvent]
    let final: Metrics
    let truth: RunnerTruth
    let stops: [TruePause]
    let startTime: Timestamp

    init(
        seed: UInt64, plan: RunPlan, settings: RunnerSettings,
        profile: RunnerProfile = RunnerProfile()
    ) throws {
        var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        var seen: [Metrics] = []
        var pending: [StreamEvent] = []
        while let next = runner.next() {
            let frame = next.frame
            let second = frame.deviceTime.seconds(since: settings.startTime)
            while Double(seen.count + 1) <= second { seen.append(pipeline.metrics) }
            pipeline.apply(frame.payload, at: frame.deviceTime, into: &pending)
            events += pending.filter { if case .metrics = $0.kind { false } else { true } }
            pending.removeAll(keepingCapacity: true)
        }
        rows = zip(runner.truth, seen).map { Row(truth: $0, metrics: $1) }
        self.events = events
        final = pipeline.metrics
        truth = try #require(runner.truth.last)
        stops = runner.pauses
        startTime = settings.startTime
    }

    /// Percent by which the final distance is off.
    var distanceError: Double {
        100 * ((final.distanceMeters ?? 0) - truth.distanceMeters) / truth.distanceMeters
    }

    /// Delays in seconds from the start, or the end, of each true stop of at least 6 s until it was
    /// shown.
    var stopDelays: [Double] { delays(ofEnds: false) }
    var resumeDelays: [Double] { delays(ofEnds: true) }

    private func delays(ofEnds: Bool) -> [Double] {
        let stops = stops.filter { ($0.end ?? $0.start).seconds(since: $0.start) >= 6 }
        return stops.compactMap { stop in
            let from = ofEnds ? (stop.end ?? stop.start) : stop.start
            let shown = events.first { event in
                guard event.deviceTime > from else { return false }
                switch event.kind {
                case .paused: return !ofEnds
                case .resumed: return ofEnds
                default: return false
                }
            }
            return shown?.deviceTime.seconds(since: from)
        }
    }

    /// Seconds during which the session was paused while the runner's feet moved.
    var wronglyPausedSeconds: Double {
        Double(rows.filter { $0.metrics.autoPaused && !$0.truth.isStanding }.count)
    }

    var trueMovingSeconds: Double {
        let end = startTime.advanced(bySeconds: truth.seconds)
        return truth.seconds
            - stops.reduce(0) { $0 + ($1.end ?? end).seconds(since: $1.start) }
    }
}

extension [Double] {
    var mean: Double { isEmpty ? .infinity : reduce(0, +) / Double(count) }
    var meanMagnitude: Double { map(\.magnitude).mean }

    /// The quantile at `share`; infinite if there are no values.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .infinity : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
    }
}
