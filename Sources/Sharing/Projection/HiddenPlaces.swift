import SensorModel

/// Decides for each position of a session, in order, whether it is in a zone or in the trimmed
/// start.
///
/// A runner comes into view only on a trusted track. Until then each place where the track is taken
/// up may be where the run begins, and is hidden as such.
struct HiddenPlaces: Sendable {
    private let settings: PrivacySettings
    private var circles: [HiddenCircle]
    /// Whether only the finish is trimmed.
    private let isOpen: Bool
    private(set) var track = TrackTrust()
    /// Places that may be the start; `nil` once the runner was in view.
    private var starts: [LocalPlane]? = []
    /// Whether the profile says so.
    var isOnTreadmill = false
    private var hasFix = false
    /// Whether a position came that may be of satellites.
    private var hasGoodFix = false
    /// Seconds of the session before it in which the device sent something.
    private var secondsWithoutFix = 0.0
    private var lastSeconds = 0.0
    /// Device time of the last record of them.
    private var heardAt: Timestamp?
    /// The session's beginning is unknown: where it started, and whether it has fixes at all.
    private var isStartLost = false
    /// Whether the runner came into view, and reached no hidden place and lost no receiver since.
    private var isInView = false
    /// Whether the newest position is hidden.
    private(set) var isHidden = true
    /// Whether the track was taken up at the newest position, outside of all hidden places.
    private(set) var hasLandedOutside = false
    /// Whether the track was outside of all hidden places since it was taken up.
    private(set) var isOutsideSinceLanding = false

    /// Longest time without a fix that hides a session on a treadmill, longer than a receiver needs to
    /// find satellites: the profile may be of yesterday. Elsewhere a runner without a fix may be anywhere,
    /// and another source of the device may tell where: its strap or foot pod would tell what is hidden.
    static let secondsWithoutFixMax = 300.0
    /// What a longer silence counts for, seconds: a watch may also have set its clock.
    private static let silenceSecondsMax = 10.0
    /// With more of them the session is hidden altogether: its receiver leaps about.
    private static let startsMax = 16
    /// Long stands that are known; with more the session is hidden altogether.
    private var stands: [LocalPlane] = []
    private static let standsMax = 16
    /// Nearer places are one start.
    private static let startMeters = 25.0
    /// Cell towers are less accurate, meters: the first position behind theirs may be the door, however the
    /// track came there.
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

    /// The next position is the start of another session.
    mutating func beginAnew() {
        (hasFix, hasGoodFix) = (false, false)
        (secondsWithoutFix, lastSeconds, heardAt) = (0, 0, nil)
        starts = []
        track = TrackTrust()
        (isInView, isHidden) = (isOpen, true)
    }

    /// Hides until a position on a trusted track: where the runner went meanwhile is unknown.
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
        // A part of the run that comes late may be from before the first position, and a first one that
        // comes after minutes is not the start: fixes before it may have been passed over.
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
        // Any place may be the trimmed start.
        let isInside =
            isStartLost && settings.trimStartMeters > 0
            || circles.contains { $0.contains(latitude: latitude, longitude: longitude) }
        // The watch's other sensors go on, and would tell how long the way is from here to the end.
        let isUnknown = track.isLost || track.hasSteppedBack
        hasLandedOutside = hasLanded && !isInside
        isOutsideSinceLanding = !isInside && !isUnknown && (hasLanded || isOutsideSinceLanding)
        isInView = !isInside && !isUnknown && (isInView || track.isTrusted)
        if isInView { starts = nil }
        isHidden = !isInView
    }

    private mutating func waitForFix(_ metrics: Metrics, at time: Timestamp) {
        let seconds = metrics.elapsedSeconds
        // The time of a silence is an estimate.
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

    /// Hides around a long stand: the next run begins there.
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
