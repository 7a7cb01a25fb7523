import SensorModel

/// Decides for each position of a session, in order, whether it is in a zone or in the trimmed
/// start.
///
/// A runner comes into view only on a trusted track. Until then every place where the track resumes
/// may be the start of the run, and is hidden as such.
struct HiddenPlaces: Sendable {
    private let settings: PrivacySettings
    private var circles: [HiddenCircle]
    /// Whether there is neither a zone nor a trimmed start: only the finish is trimmed.
    private let isOpen: Bool
    private(set) var track = TrackTrust()
    /// Places that may be the start; `nil` once the runner has been in view.
    private var starts: [LocalPlane]? = []
    /// Whether the profile places the session on a treadmill.
    var isOnTreadmill = false
    private var hasFix = false
    /// Whether a position was accurate enough to come from satellites.
    private var hasGoodFix = false
    /// Session time without a fix, seconds; a silence counts at most ``silenceSecondsMax``.
    private var secondsWithoutFix = 0.0
    private var lastSeconds = 0.0
    /// Device time of the last live metrics without a fix.
    private var heardAt: Timestamp?
    /// Whether the session's beginning is unknown: its start, and whether it has fixes at all.
    private var isStartLost = false
    /// Whether the runner came into view, and has not reached a hidden place or lost the fix since.
    private var isInView = false
    /// Whether the newest position is hidden.
    private(set) var isHidden = true
    /// Whether the track resumed at the newest position, outside of all hidden places.
    private(set) var hasLandedOutside = false
    /// Whether the track has stayed outside of all hidden places since it resumed.
    private(set) var isOutsideSinceLanding = false

    /// Maximum time without a fix that hides a treadmill session, longer than a receiver needs to
    /// find satellites, since the profile may be of yesterday. In other sessions a runner without a
    /// fix may be anywhere, and another source, such as a strap or foot pod, would reveal what is
    /// hidden.
    static let secondsWithoutFixMax = 300.0
    /// Seconds that a longer silence counts for, since the watch may have set its clock.
    private static let silenceSecondsMax = 10.0
    /// Maximum number of possible starts. With more, the receiver jumps about: all is hidden.
    private static let startsMax = 16
    /// The known long stands. With more than ``standsMax`` the session is hidden altogether.
    private var stands: [LocalPlane] = []
    private static let standsMax = 16
    /// Places closer than this are one start, meters.
    private static let startMeters = 25.0
    /// Accuracy that positions from cell towers do not reach, meters. The first better position may
    /// be the front door, however the track came there.
    private static let goodMeters = 50.0

    init(_ settings: PrivacySettings) {
        self.settings = settings
        isOpen = settings.zones.isEmpty && settings.trimStartMeters == 0
        isInView = isOpen
        circles = settings.zones.map { zone in
            HiddenCircle(
                meters: zone.radiusMeters, aroundLatitude: zone.latitude,
                longitude: zone.longitude, salt: settings.salt)
        }
    }

    mutating func loseStart() { isStartLost = true }

    /// Beginnings after the first one. With more the session is hidden altogether, as its places are
    /// many.
    private var beginnings = 0
    private static let beginningsMax = 100

    /// Notes that the next position is the start of another session.
    mutating func beginAnew() {
        beginnings += 1
        if beginnings > Self.beginningsMax { isStartLost = true }
        (hasFix, hasGoodFix) = (false, false)
        (secondsWithoutFix, lastSeconds, heardAt) = (0, 0, nil)
        starts = []
        track = TrackTrust()
        (isInView, isHidden) = (isOpen, true)
    }

    /// Hides the runner until a position on a trusted track, since the way meanwhile is unknown.
    ///
    /// - Returns: Whether there is anything to hide.
    mutating func losePlace() -> Bool {
        guard !circles.isEmpty else { return false }
        leaveView()
        return true
    }

    private mutating func leaveView() {
        isInView = false
        isHidden = true
    }

    /// - Parameters:
    ///   - metrics: Recorded metrics.
    ///   - time: Their device time.
    mutating func update(_ metrics: Metrics, at time: Timestamp) {
        hasLandedOutside = false
        guard let position = metrics.position else { return waitForFix(metrics, at: time) }
        // A part of the run that comes late may be from before the first position. A first position
        // after minutes is not the start: fixes before it may have been skipped.
        if !hasFix, isFixLate(at: time) { isStartLost = true }
        hasFix = true
        let (latitude, longitude) = (position.latitude, position.longitude)
        let step = track.update(metrics, position, at: time)
        var hasLanded = false
        if case .landed(let isBridged) = step {
            hasLanded = true
            if !isBridged { noteStart(latitude, longitude) }
        }
        if !hasGoodFix, position.horizontalAccuracyMeters ?? 0 < Self.goodMeters {
            hasGoodFix = true
            noteStart(latitude, longitude)
        }
        if let place = track.stand.newPlace { noteStand(place) }
        if track.hasSteppedBack { isStartLost = true }
        // With an unknown start, any place may be the trimmed start.
        let isInside =
            isStartLost && settings.trimStartMeters > 0
            || circles.contains { $0.contains(latitude: latitude, longitude: longitude) }
        // The watch's other sensors continue, and would reveal the rest of the way's length.
        let isUnknown = track.isLost || track.hasSteppedBack
        hasLandedOutside = hasLanded && !isInside
        isOutsideSinceLanding = !isInside && !isUnknown && (hasLanded || isOutsideSinceLanding)
        isInView = !isInside && !isUnknown && (isInView || track.isTrusted)
        if isInView { starts = nil }
        isHidden = !isInView
    }

    private mutating func waitForFix(_ metrics: Metrics, at time: Timestamp) {
        let seconds = metrics.elapsedSeconds
        // The time of a silence tick is an estimate.
        if metrics.state == .live { heardAt = time }
        secondsWithoutFix += min(max(0, seconds - lastSeconds), Self.silenceSecondsMax)
        lastSeconds = seconds
        if isOnTreadmill, !hasFix, !isStartLost, secondsWithoutFix > Self.secondsWithoutFixMax {
            isHidden = false
        }
    }

    private func isFixLate(at time: Timestamp) -> Bool {
        secondsWithoutFix > Self.secondsWithoutFixMax
            || heardAt.map { TrackTrust.isBack(time, before: $0) } ?? false
    }

    /// Hides the surroundings of a long stand, where the next run begins.
    private mutating func noteStand(_ place: LocalPlane) {
        guard settings.trimStartMeters > 0 else { return }
        let square = LongStand.meters * LongStand.meters
        let isKnown = stands.contains {
            $0.squaredMeters(toLatitude: place.latitude, longitude: place.longitude) < square
        }
        guard !isKnown else { return }
        guard stands.count < Self.standsMax else { return isStartLost = true }
        stands.append(place)
        circles.append(
            HiddenCircle(
                meters: settings.trimStartMeters, aroundLatitude: place.latitude,
                longitude: place.longitude, salt: settings.salt))
    }

    private mutating func noteStart(_ latitude: Double, _ longitude: Double) {
        guard settings.trimStartMeters > 0, var starts else { return }
        let square = Self.startMeters * Self.startMeters
        guard
            !starts.contains(where: {
                $0.squaredMeters(toLatitude: latitude, longitude: longitude) < square
            })
        else { return }
        guard starts.count < Self.startsMax else { return isStartLost = true }
        starts.append(LocalPlane(latitude: latitude, longitude: longitude))
        self.starts = starts
        circles.append(
            HiddenCircle(
                meters: settings.trimStartMeters, aroundLatitude: latitude, longitude: longitude,
                salt: settings.salt))
    }
}
