import SensorModel

/// The place at which a runner stands, by positions alone, and the moment at which it was left.
///
///     place        mean of the first seconds, then it follows the receiver's slow drift
///     left         the track is farther from it than the receiver's noise
///     departure    the last time within a third of that
///
/// A speed threshold takes a slow hiker for standing; a displacement does not, however slow. The
/// time to tell is the noise over the speed: 20 s at 0.3 m/s. So a pause may begin early, and one
/// that was a slow walk is undone.
struct StandingPlace: Sendable {
    struct Parameters: Sendable {
        /// Minimum meters of a departure: the wander of a good receiver within a minute.
        var leaveMetersMin = 6.0
        /// Departure in units of the reported accuracy, a radius that holds two thirds of the fixes.
        var leaveAccuracies = 2.0
        /// Share of the meters of a departure within which the runner still stood.
        var stoodShare = 1.0 / 3
        /// Seconds whose mean is the place.
        var settleSeconds = 5.0
        /// Time constant of the drift, seconds: a hiker at 0.2 m/s leaves it behind by 12 m.
        var driftSeconds = 60.0
        /// Minimum displacement that counts as way, meters: the noise of a good receiver.
        var gateMetersMin = 3.0
    }

    let parameters = Parameters()
    private(set) var center: SIMD2<Double>
    /// Start of the pause.
    let since: Timestamp
    /// Where the way is counted from, and the meters counted so far.
    private var anchor: SIMD2<Double>
    private var metersCounted = 0.0
    private var seconds = 0.0
    private var newest: Timestamp

    init(at center: SIMD2<Double>, since: Timestamp, _ time: Timestamp) {
        self.center = center
        self.since = since
        anchor = center
        newest = time
    }

    /// Meters from the place that are a departure.
    func leaveMeters(accuracy: Double?) -> Double {
        max(parameters.leaveMetersMin, parameters.leaveAccuracies * (accuracy ?? 0))
    }

    /// - Returns: Whether the runner left the place with this fix.
    mutating func add(_ point: SIMD2<Double>, accuracy: Double?, at time: Timestamp) -> Bool {
        let offset = point - center
        let isLeft = Self.length(offset) > leaveMeters(accuracy: accuracy)
        let way = Self.length(point - anchor)
        if way > max(parameters.gateMetersMin, accuracy ?? 0) {
            metersCounted += way
            anchor = point
        }
        let step = min(max(0, time.seconds(since: newest)), parameters.settleSeconds)
        newest = max(newest, time)
        guard !isLeft, step > 0 else { return isLeft }
        let memory =
            seconds < parameters.settleSeconds
            ? seconds + step : max(parameters.driftSeconds, step)
        center += (step / memory) * offset
        seconds += step
        return false
    }

    /// Meters of the way since the pause began: displacements beyond the receiver's noise.
    func meters(to point: SIMD2<Double>) -> Double {
        metersCounted + Self.length(point - anchor)
    }

    private static func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    /// The moment of departure; the start of the pause if there was no stop: the stay near the
    /// place lasted no longer than a walk past it at the speed of the departure.
    ///
    /// - Parameters:
    ///   - track: The recent track, whose newest fix left the place.
    ///   - accuracy: Reported accuracy, meters; `nil`: unknown.
    ///   - time: Time of the newest fix.
    func departure(on track: RecentTrack, accuracy: Double?, at time: Timestamp) -> Timestamp {
        let leave = leaveMeters(accuracy: accuracy)
        let stood = parameters.stoodShare * leave
        guard let left = track.lastTime(within: stood, of: center) else { return since }
        return left
    }
}
