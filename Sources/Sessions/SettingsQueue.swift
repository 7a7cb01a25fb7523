import SensorModel

/// Changes of profiles and courses that the devices' live sessions must still follow.
///
/// A device's sessions follow a change at once, and then at most once in some seconds, since each
/// change writes a record for each session, and a course is large. Of several changes the newest
/// counts.
struct SettingsQueue {
    struct Kinds: OptionSet {
        let rawValue: UInt8

        static let profile = Kinds(rawValue: 1)
        static let course = Kinds(rawValue: 2)
    }

    static let paceMicroseconds: Int64 = 2_000_000

    private var waiting: [DeviceID: Kinds] = [:]
    /// Time at which a device's sessions last followed a change; kept for the length of the pace.
    private var followed: [DeviceID: Timestamp] = [:]

    mutating func add(_ kinds: Kinds, of device: DeviceID) {
        waiting[device, default: []].formUnion(kinds)
    }

    /// Time at which ``takeDue(at:)`` next has a device; `nil` if nothing waits.
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

    /// Whether a time is within the pace. A clock that was set back must not delay changes.
    private static func isRecent(_ time: Timestamp, at now: Timestamp) -> Bool {
        (0..<paceMicroseconds).contains(now.microseconds - time.microseconds)
    }
}
