import SensorModel

/// Holds a session's events back for a fixed time, and decides which of them may be the finish.
///
/// The finish is unknown until it comes. Each event waits ``secondsLate(behind:)``. If the runner
/// has not left a circle around the event's place by then, the place may be the finish, and the
/// event is hidden. The wait is the same for all events. If an event were shown as soon as the
/// runner is far enough away, the last one would be shown at the moment of the arrival, and reveal
/// the length of the hidden path.
struct FinishTrim: Sendable {
    /// The delay of every event, seconds. In this time a walker at 1.1 m/s passes the farthest edge
    /// of the circle: 26 minutes for a trim of 300 m.
    static func secondsLate(behind meters: Double) -> Double {
        (meters + 2 * PrivacyOffset.validLength.upperBound) / 1.1
    }

    /// The delay of a trimmed finish, seconds: the setting, or the time that its radius needs.
    static func secondsLate(_ settings: PrivacySettings) -> Double {
        settings.finishSecondsLate ?? secondsLate(behind: settings.trimFinishMeters)
    }

    struct Released {
        let recorded: ShownEvent
        /// Whether the runner did not leave the event's place in time.
        let isNear: Bool
    }

    /// An event whose place the runner has not left yet.
    private struct Near: Sendable {
        let number: Int
        /// The later one of the event's device time and its place's, which are independent.
        let time: Timestamp
        let latitude: Double
        let longitude: Double
        /// Whether a run ended here with a long stand, so that no later position leaves the place.
        var isFinal: Bool
    }

    /// Maximum number of held events: the longest wait, 52 minutes for 2,000 m, with two metrics a
    /// second and space for events. A larger backlog arrives faster than it can be shown. Its older
    /// half is then shown at once, except events whose places the runner has not left by the newest
    /// position.
    static let countMax = 8192

    private let meters: Double
    private let secondsLate: Double
    private let salt: UInt64
    private var held = HeldEvents()
    /// Number of the oldest held event, counted over all events that were ever held.
    private var oldest = 0
    /// The held events whose place the runner has not left; numbers rise.
    private var near: [Near] = []
    /// Start of the valid part of ``near``. Earlier entries are released, and the next position
    /// removes them.
    private var nearStart = 0
    /// The last new position, and the device time of its record.
    private var place: (latitude: Double, longitude: Double, at: Timestamp)?
    /// The circle around the newest position, if that position may leave places. A place is left
    /// when two successive circles do not contain it, since one position may be a receiver's jump.
    private var ahead: HiddenCircle?
    /// Positions less accurate than this leave no place.
    private static let accuracyMetersMax = 100.0
    /// The track up to the newest position.
    private var track = TrackTrust()
    /// Decisions of an earlier pass.
    private(set) var verdicts = FinishVerdicts()
    private var keepsVerdicts = false

    init?(_ settings: PrivacySettings) {
        guard settings.trimFinishMeters > 0 else { return nil }
        meters = settings.trimFinishMeters
        secondsLate = Self.secondsLate(settings)
        salt = settings.salt
    }

    /// The oldest held event.
    var first: HeldEvents.Entry? { held.first }

    /// The newest held event.
    var last: HeldEvents.Entry? { held.last }

    /// Bytes of the held events.
    var heldBytes: Int { held.size + near.capacity * MemoryLayout<Near>.stride }

    /// Time of the next release. Arrival clock.
    var nextDue: Timestamp? { held.first.map { due($0.arrival) } }

    /// Time of the last release. Arrival clock.
    var lastDue: Timestamp? { held.last.map { due($0.arrival) } }

    /// A copy with the state before the oldest held event; the copy must process all held events
    /// again.
    ///
    /// - Parameter track: The track up to the newest event that is not held.
    /// - Returns: The copy.
    func rewound(to track: TrackTrust) -> FinishTrim {
        var copy = self
        if let first = held.first {
            copy.place = (first.latitude, first.longitude, first.placedAt)
        }
        copy.track = track
        copy.held = HeldEvents()
        copy.near = []
        copy.ahead = nil
        copy.nearStart = 0
        copy.verdicts = FinishVerdicts()
        copy.keepsVerdicts = false
        return copy
    }

    /// - Parameters:
    ///   - verdicts: Verdicts of an earlier pass over the same session: decided events are not held
    ///     back.
    ///   - extends: Whether new decisions are added to them.
    mutating func use(_ verdicts: FinishVerdicts, extends: Bool) {
        self.verdicts = verdicts
        keepsVerdicts = extends
    }

    /// - Returns: The decision of an earlier pass and the time of the release; `nil`: undecided, so
    ///   the event must be held back.
    func decided(
        _ recorded: ShownEvent
    ) -> (verdict: FinishVerdicts.Verdict, releasedAt: Timestamp)? {
        guard let verdict = verdicts.verdict(at: recorded.offset) else { return nil }
        return (verdict, verdict.releasedEarly ?? due(recorded.arrival))
    }

    /// Stores the decision on a released event, for later readings.
    mutating func note(_ released: Released, at now: Timestamp, lagSeconds: Double) {
        guard keepsVerdicts else { return }
        let recorded = released.recorded
        let early = now == due(recorded.arrival) ? nil : now
        verdicts.append(
            FinishVerdicts.Verdict(
                isNear: released.isNear, releasedEarly: early, lagSeconds: lagSeconds),
            at: recorded.offset)
    }

    private func due(_ arrival: Timestamp) -> Timestamp {
        arrival.advanced(bySeconds: secondsLate)
    }

    /// Moves the runner, and notes which places the runner has left. Only positions on a trusted
    /// track count: a wrong position after the arrival would reveal the way home. A part of the run
    /// that comes late would do so too, so the position must be new and of a later time.
    ///
    /// - Parameters:
    ///   - metrics: Recorded metrics.
    ///   - position: Their position.
    ///   - time: Their device time.
    mutating func move(_ metrics: Metrics, _ position: PositionMetric, at time: Timestamp) {
        let step = track.update(metrics, position, at: time)
        if track.stand.hasBegun {
            // This includes events of a walk, or of a receiver's jump, during the stand.
            endRun()
        }
        guard step != .repeated else { return }
        let (latitude, longitude) = (position.latitude, position.longitude)
        place = (latitude, longitude, time)
        let behind = ahead
        ahead = nil
        guard track.isTrusted, position.state == .live,
            position.horizontalAccuracyMeters ?? 0 <= Self.accuracyMetersMax
        else { return }
        let circle = HiddenCircle(
            meters: meters, aroundLatitude: latitude, longitude: longitude, salt: salt)
        ahead = circle
        guard let behind, !near.isEmpty else { return }
        near.removeFirst(nearStart)
        nearStart = 0
        near.removeAll { event in
            !event.isFinal && event.time <= time
                && !circle.contains(latitude: event.latitude, longitude: event.longitude)
                && !behind.contains(latitude: event.latitude, longitude: event.longitude)
        }
    }

    /// Notes that the session's beginning is unknown. Events then wait even before the next
    /// position, since an earlier one may be lost.
    mutating func loseStart() {
        if place == nil { place = (.nan, .nan, Timestamp(microseconds: .min)) }
    }

    /// Notes that another session begins under the ID; its track is not trusted yet.
    mutating func beginAnew() {
        track = TrackTrust()
        ahead = nil
    }

    /// Notes that a run has ended: no later position leaves the places of its events.
    mutating func endRun() {
        for index in near.indices { near[index].isFinal = true }
    }

    /// - Parameters:
    ///   - recorded: The session's next event.
    ///   - isOver: Whether the session has ended.
    /// - Returns: `false` if the event need not wait, since no position has come yet.
    mutating func hold(_ recorded: ShownEvent, isOver: Bool) -> Bool {
        guard let place else { return false }
        near.append(
            Near(
                number: oldest + held.count, time: max(recorded.event.deviceTime, place.at),
                latitude: place.latitude, longitude: place.longitude,
                isFinal: track.stand.isLong || isOver))
        held.append(
            recorded, latitude: place.latitude, longitude: place.longitude, placedAt: place.at)
        return true
    }

    /// - Parameter now: Time of the arrival clock.
    /// - Returns: The oldest event, if its wait is over.
    mutating func release(at now: Timestamp) -> Released? {
        guard let due = nextDue, due <= now else { return nil }
        return release()
    }

    /// - Returns: The oldest event, if there is one.
    mutating func release() -> Released? {
        guard let recorded = held.removeFirst() else { return nil }
        let isNear = nearStart < near.count && near[nearStart].number == oldest
        if isNear { nearStart += 1 }
        oldest += 1
        return Released(recorded: recorded, isNear: isNear)
    }

    /// Number of events above the limit, mostly 0.
    var excessCount: Int { held.count > Self.countMax ? Self.countMax / 2 : 0 }
}
