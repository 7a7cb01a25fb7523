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

    private final class Held: Sendable {
        let recorded: ShownEvent
        let latitude: Double
        let longitude: Double

        init(_ recorded: ShownEvent, latitude: Double, longitude: Double) {
            self.recorded = recorded
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    private struct Waiting {
        let held: Held
        var isBehind = false
    }

    /// A backlog arrives faster than it can be shown: half of it is shown early.
    private static let waitingMax = 4096

    private let meters: Double
    private let secondsLate: Double
    private let salt: UInt64
    /// Oldest first.
    private var waiting: [Waiting] = []
    private var place: (latitude: Double, longitude: Double)?

    init?(_ settings: PrivacySettings) {
        guard settings.trimFinishMeters > 0 else { return nil }
        meters = settings.trimFinishMeters
        secondsLate = settings.finishSecondsLate ?? Self.secondsLate(behind: meters)
        salt = settings.salt
    }

    /// The oldest event that waits.
    var first: ShownEvent? { waiting.first?.held.recorded }

    /// When it has waited long enough. Arrival clock.
    var nextDue: Timestamp? { waiting.first.map(due) }

    private func due(_ waiting: Waiting) -> Timestamp {
        waiting.held.recorded.arrival.advanced(bySeconds: secondsLate)
    }

    /// A copy as it was before the oldest event that waits came: all of them must be taken again.
    func rewound() -> FinishTrim {
        var copy = self
        if let first = waiting.first?.held { copy.place = (first.latitude, first.longitude) }
        copy.waiting = []
        return copy
    }

    /// The runner is here now.
    mutating func move(latitude: Double, longitude: Double) {
        place = (latitude, longitude)
        let ahead = HiddenCircle(
            meters: meters, aroundLatitude: latitude, longitude: longitude, salt: salt)
        for index in waiting.indices where !waiting[index].isBehind {
            let held = waiting[index].held
            waiting[index].isBehind = !ahead.contains(
                latitude: held.latitude, longitude: held.longitude)
        }
    }

    /// - Returns: `false` when the event need not wait: no position has come yet.
    mutating func hold(_ recorded: ShownEvent) -> Bool {
        guard let place else { return false }
        let held = Held(recorded, latitude: place.latitude, longitude: place.longitude)
        waiting.append(Waiting(held: held))
        return true
    }

    /// - Parameter now: Arrival clock.
    /// - Returns: What has waited long enough, oldest first.
    mutating func release(at now: Timestamp) -> [Released] {
        release(waiting.firstIndex { due($0) > now } ?? waiting.count)
    }

    /// - Returns: What there is no room for, oldest first; mostly nothing.
    mutating func releaseExcess() -> [Released] {
        waiting.count > Self.waitingMax ? release(Self.waitingMax / 2) : []
    }

    /// - Returns: All that waits, oldest first.
    mutating func releaseAll() -> [Released] { release(waiting.count) }

    private mutating func release(_ count: Int) -> [Released] {
        guard count > 0 else { return [] }
        let released = waiting[..<count].map {
            Released(recorded: $0.held.recorded, isNear: !$0.isBehind)
        }
        waiting.removeFirst(count)
        return released
    }
}
