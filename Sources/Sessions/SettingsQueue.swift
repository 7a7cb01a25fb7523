import SensorModel

/// Changes of a device's profile and course that its live sessions have still to follow.
///
/// A device's sessions follow at once, and then no more often than once in some seconds: each change
/// is a record of each session, and one of a course is large. Of several changes the newest counts.
struct SettingsQueue {
    struct Kinds: OptionSet {
        let rawValue: UInt8

        static let profile = Kinds(rawValue: 1)
        static let course = Kinds(rawValue: 2)
    }

    static let paceMicroseconds: Int64 = 2_000_000

    private var waiting: [DeviceID: Kinds] = [:]
    /// When a device's sessions followed last; kept for the length of the pace.
    private var followed: [DeviceID: Timestamp] = [:]

    mutating func add(_ kinds: Kinds, of device: DeviceID) {
        waiting[device, default: []].formUnion(kinds)
    }

    /// When ``takeDue(at:)`` has something next; `nil`: nothing waits.
    func nextDeadline(at now: Timestamp) -> Timestamp? {
        waiting.keys.map { due($0, at: now) }.min()
    }

    /// - Returns: A device whose sessions follow now, and what has changed.
    mutating func takeDue(at now: Timestamp) -> (device: DeviceID, kinds: Kinds)? {
        guard !waiting.isEmpty,
            let (device, kinds) = waiting.first(where: { due($0.key, at: now) <= now })
        else { return nil }
        waiting[device] = nil
        followed = followed.filter { Self.isRecent($0.value, at: now) }
        followed[device] = now
        return (device, kinds)
    }

    private func due(_ device: DeviceID, at now: Timestamp) -> Timestamp {
        guard let last = followed[device], Self.isRecent(last, at: now) else { return now }
        return last.advanced(byMicroseconds: Self.paceMicroseconds)
    }

    /// A clock that was set back must not delay changes.
    private static func isRecent(_ time: Timestamp, at now: Timestamp) -> Bool {
        (0..<paceMicroseconds).contains(now.microseconds - time.microseconds)
    }
}
