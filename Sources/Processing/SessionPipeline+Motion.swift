import SensorModel

extension SessionPipeline {
    /// Seconds after the last motion sample at which what it said is stale: at 12.5 Hz with lost
    /// samples a second may pass, a batch may hold two.
    static let motionStaleSeconds = 4.0

    mutating func noteActivity(at time: Timestamp, into events: inout [StreamEvent]) {
        activity = cadence.activity
        if activity.kind.isSteps { noMovementEnded(at: time, into: &events) }
        guard profile.autoPause == .fused, !isManuallyPaused else { return }
        follow(autoPause.update(activity: activity, at: time), into: &events)
    }

    mutating func tickMotion(into events: inout [StreamEvent]) {
        cadence.tick(at: moment)
        guard let newestMotion, moment.seconds(since: newestMotion) < Self.motionStaleSeconds else {
            return
        }
        noteActivity(at: newestMotion, into: &events)
        if let steps = cadence.cadence.stepsPerMinute, steps > 0, !movingTime.isPaused {
            cadenceMean.add(steps)
        }
        if profile.treadmill {
            distance.addSteps(
                to: Double(steps), cadence: cadence.cadence.stepsPerMinute,
                isMoving: !movingTime.isPaused)
        }
    }
}

/// Mean cadence of the seconds with steps.
struct MeanCadence: Sendable {
    private var sum = 0.0
    private var seconds = 0.0

    mutating func add(_ stepsPerMinute: Double) {
        sum += stepsPerMinute
        seconds += 1
    }

    var stepsPerMinute: Double? { seconds > 0 ? sum / seconds : nil }
}
