import SensorModel

/// Estimates from positions alone where a runner stands, and when the runner left.
///
///     place        mean of the first seconds, then follows the receiver's slow drift
///     left         the track is farther from it than the receiver's noise
///     departure    the way that left it, traced back at its speed
///
/// A speed threshold takes a slow hiker for standing; a displacement does not, however slow. The
/// time to decide is the noise over the speed: 20 s at 0.3 m/s. So a pause may begin early, and one
/// that was a slow walk is undone.
struct StandingPlace: Sendable {
    struct Parameters: Sendable {
        /// Minimum noise of a receiver, meters: the drift of a good one within a minute.
        var noiseMetersMin = 2.0
        /// Noise of a receiver without an accuracy, in standard deviations of its track's scatter.
        var noiseScatters = 3.0
        /// Distance that makes a departure, in units of the noise.
        var leaveNoises = 3.0
        /// Share of the departure distance within which the runner still stood.
        var stoodShare = 0.5
        /// Seconds of positions whose mean is the place.
        var settleSeconds = 5.0
        /// Time constant of the drift, seconds. A hiker at 0.2 m/s gets 12 m ahead of it.
        var driftSeconds = 60.0
    }

    private static let parameters = Parameters()
    private(set) var center: SIMD2<Double>
    /// Point from which the way is measured next, and the meters counted so far.
    private var anchor: SIMD2<Double>
    private(set) var metersCounted = 0.0
    private var seconds = 0.0
    private var newest: Timestamp

    init(at center: SIMD2<Double>, _ time: Timestamp) {
        self.center = center
        anchor = center
        newest = time
    }

    /// Returns the distance that the positions of a standing runner may drift.
    ///
    /// - Parameters:
    ///   - accuracy: Reported accuracy, meters: a radius that holds two thirds of the fixes; `nil`
    ///     if unknown.
    ///   - scatter: Standard deviation of the track's steps from scatter alone, meters.
    /// - Returns: Meters, at least ``Parameters/noiseMetersMin``.
    static func noiseMeters(accuracy: Double?, scatter: Double) -> Double {
        max(Self.parameters.noiseMetersMin, accuracy ?? Self.parameters.noiseScatters * scatter)
    }

    /// Distance from the place that makes a departure, meters.
    static func leaveMeters(noise: Double) -> Double { parameters.leaveNoises * noise }

    /// Moves the place to the runner's new position, and keeps the way.
    mutating func restart(at point: SIMD2<Double>) {
        center = point
        seconds = 0
    }

    /// - Returns: Whether the runner left the place with this fix.
    mutating func add(_ point: SIMD2<Double>, noise: Double, at time: Timestamp) -> Bool {
        let offset = point - center
        let isLeft = Self.length(offset) > Self.leaveMeters(noise: noise)
        let way = Self.length(point - anchor)
        if way > noise {
            // As in ``PathLength``, ends that scatter across a chord lengthen it.
            metersCounted += way - noise * noise / (8 * way)
            anchor = point
        }
        let step = min(max(0, time.seconds(since: newest)), Self.parameters.settleSeconds)
        newest = max(newest, time)
        guard !isLeft, step > 0 else { return isLeft }
        let memory =
            seconds < Self.parameters.settleSeconds
            ? seconds + step : max(Self.parameters.driftSeconds, step)
        center += (step / memory) * offset
        seconds += step
        return false
    }

    /// Meters of the way since the pause began: those counted, plus the rest to `point`.
    func meters(to point: SIMD2<Double>) -> Double {
        metersCounted + Self.length(point - anchor)
    }

    private static func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    /// Computes the time of departure by tracing the way that left the place back at its own speed.
    ///
    /// - Parameters:
    ///   - track: The recent track, whose newest fix left the place.
    ///   - noise: ``noiseMeters(accuracy:scatter:)`` of the newest fix.
    /// - Returns: The time; `nil` if the track has no departure.
    func departure(on track: RecentTrack, noise: Double) -> Timestamp? {
        let radius = Self.parameters.stoodShare * Self.leaveMeters(noise: noise)
        guard let stood = track.last(within: radius, of: center), let newest = track.newestFix
        else { return nil }
        let near = Self.length(stood.point - center)
        let far = Self.length(newest.point - center)
        guard far > near else { return stood.time }
        let seconds = newest.time.seconds(since: stood.time)
        return stood.time.advanced(bySeconds: -seconds * min(near / (far - near), 1))
    }
}
