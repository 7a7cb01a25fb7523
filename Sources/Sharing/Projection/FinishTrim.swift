import SensorModel

/// Holds a session's events back for a fixed time, and tells which of them may be the finish.
///
/// The finish is not known before it comes. Each event waits ``secondsLate(behind:)``. If the runner
/// has not left a circle around its place by then, it may be the finish, and counts as hidden. The
/// wait is the same for all events: were an event shown as soon as the runner is far enough away, the
/// last one would be shown at the moment of the arrival, and tell how long the hidden way is.
struct FinishTrim: Sendable {
    /// How late everything is shown: a walker of 1.1 m/s has left the farthest edge of the circle
    /// behind by then, after 26 minutes where 300 m are trimmed.
    static func secondsLate(behind meters: Double) -> Double {
        (meters + 2 * PrivacyOffset.validLength.upperBound) / 1.1
    }

    struct Released {
        let recorded: ShownEvent
        /// The runner did not leave its place in time.
        let isNear: Bool
    }

    /// An event whose place the runner has not left so far.
    private struct Near: Sendable {
        let number: Int
        let latitude: Double
        let longitude: Double
    }

    /// The longest wait, 52 minutes for 2,000 m, with two metrics a second and room for events. A
    /// backlog of more arrives faster than it can be shown: its older half is shown at once, but for
    /// what the runner has not left behind by the newest position.
    static let countMax = 8192

    private let meters: Double
    private let secondsLate: Double
    private let salt: UInt64
    private var held = HeldEvents()
    /// Number of the oldest that waits: all that were ever held are counted.
    private var oldest = 0
    /// Of those that wait; numbers rise.
    private var near: [Near] = []
    /// Everything of ``near`` before it is released; the next position takes it out.
    private var nearStart = 0
    private var place: (latitude: Double, longitude: Double)?

    init?(_ settings: PrivacySettings) {
        guard settings.trimFinishMeters > 0 else { return nil }
        meters = settings.trimFinishMeters
        secondsLate = settings.finishSecondsLate ?? Self.secondsLate(behind: meters)
        salt = settings.salt
    }

    /// The oldest event that waits.
    var first: HeldEvents.Entry? { held.first }

    /// Bytes that what waits takes of memory.
    var heldBytes: Int { held.size + near.capacity * MemoryLayout<Near>.stride }

    /// When it has waited long enough. Arrival clock.
    var nextDue: Timestamp? { held.first?.arrival.advanced(bySeconds: secondsLate) }

    /// A copy as it was before the oldest event that waits came: all of them must be taken again.
    func rewound() -> FinishTrim {
        var copy = self
        if let first = held.first { copy.place = (first.latitude, first.longitude) }
        copy.held = HeldEvents()
        copy.near = []
        copy.nearStart = 0
        return copy
    }

    /// The runner is here now.
    mutating func move(latitude: Double, longitude: Double) {
        place = (latitude, longitude)
        let ahead = HiddenCircle(
            meters: meters, aroundLatitude: latitude, longitude: longitude, salt: salt)
        near.removeFirst(nearStart)
        nearStart = 0
        near.removeAll { event in
            !ahead.contains(latitude: event.latitude, longitude: event.longitude)
        }
    }

    /// - Returns: `false` when the event need not wait: no position has come yet.
    mutating func hold(_ recorded: ShownEvent) -> Bool {
        guard let place else { return false }
        near.append(
            Near(
                number: oldest + held.count, latitude: place.latitude,
                longitude: place.longitude))
        held.append(recorded, latitude: place.latitude, longitude: place.longitude)
        return true
    }

    /// - Parameter now: Arrival clock.
    /// - Returns: The oldest, if it has waited long enough.
    mutating func release(at now: Timestamp) -> Released? {
        guard let due = nextDue, due <= now else { return nil }
        return release()
    }

    /// - Returns: The oldest, if any waits.
    mutating func release() -> Released? {
        guard let recorded = held.removeFirst() else { return nil }
        let isNear = nearStart < near.count && near[nearStart].number == oldest
        if isNear { nearStart += 1 }
        oldest += 1
        return Released(recorded: recorded, isNear: isNear)
    }

    /// How many there is no room for; mostly none.
    var excessCount: Int { held.count > Self.countMax ? Self.countMax / 2 : 0 }
}
