import SensorModel

/// Alerts that receivers are told of, each until one of them confirms it or it is over. Pure: time
/// and randomness are passed in.
///
///     raised ──▶ told, again after 1, 2, 4 … min ──▶ confirmed ──▶ over
///        └──────────────── over (told once more) ─────────────────▶┘
package struct AlertCases: Sendable {
    struct Key: Hashable, Sendable {
        let session: SessionID
        let topic: AlertTopic
    }

    struct Entry: Sendable {
        let key: Key
        let device: DeviceID
        /// Device time; for an overdue or silent runner, when the runner was last heard of.
        let since: Timestamp
        let raisedAt: Timestamp
        /// The missed checkpoint.
        let overdue: RunWatch.Expectation?
        /// From this the secrets of confirmations are derived.
        let secret: ShareID
        /// Number of times that receivers were told.
        fileprivate(set) var tellings = 0
        fileprivate(set) var nextAt: Timestamp?
        /// Receiver that confirmed it.
        fileprivate(set) var confirmedBy: String?
        fileprivate(set) var endedAt: Timestamp?

        /// Whether it is not over.
        var isOpen: Bool { endedAt == nil }

        /// Order in which entries give way: over, confirmed, no call for help, told often.
        fileprivate var worth: (Int, Int, Int, Int) {
            (
                isOpen ? 1 : 0, confirmedBy == nil ? 1 : 0, key.topic.isCallForHelp ? 1 : 0,
                -tellings
            )
        }
    }

    /// What lets a receiver confirm an alert.
    private struct Grant {
        let key: Key
        let receiver: String
        /// What the receiver was told.
        var told: AlertNotice?
    }

    /// Beyond this, new ones take the place of less important ones; an entry takes less than 1 KiB.
    package static let countMax = 128
    static let perDeviceMax = 8
    /// Seconds after the end of an alert in which the same one is not told again. A call for help
    /// is told always.
    static let quietSeconds = 900.0
    static let lifetimeSeconds = 86_400.0
    /// Seconds until receivers are told again.
    static let waits: [Double] = [60, 120, 240, 480, 900, 1800, 3600, 3600, 3600, 3600, 3600]

    private var entries: [Key: Entry] = [:]
    /// Who may confirm which alert, by the secret that was sent.
    private var grants: [ShareID: Grant] = [:]
    /// Alerts that gave way to others or grew too old, since they were taken last.
    private var removed: [Key] = []

    // MARK: Changes

    /// - Returns: The new alert; `nil`: it is known already, or others are more important.
    mutating func raise(
        _ key: Key, of device: DeviceID, since: Timestamp,
        overdue: RunWatch.Expectation? = nil, at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> Entry? {
        forgetOld(at: now)
        var firstAt = now
        if let known = entries[key] {
            guard let endedAt = known.endedAt else { return nil }
            // It waits: if it is over again by then, nobody is told.
            if !key.topic.isCallForHelp, known.tellings > 0 {
                firstAt = max(now, endedAt.advanced(bySeconds: Self.quietSeconds))
            }
            remove(key)
        }
        guard makeRoom(for: key, of: device) else { return nil }
        let entry = Entry(
            key: key, device: device, since: since, raisedAt: now, overdue: overdue,
            secret: ShareID(using: &generator), nextAt: firstAt)
        entries[key] = entry
        return entry
    }

    /// Removes the least important alert of the device, or of the device that has most, if there is
    /// no room.
    private mutating func makeRoom(for key: Key, of device: DeviceID) -> Bool {
        var counts: [DeviceID: Int] = [:]
        for entry in entries.values { counts[entry.device, default: 0] += 1 }
        let crowded =
            counts[device, default: 0] >= Self.perDeviceMax
            ? device
            : entries.count >= Self.countMax ? counts.max { $0.value < $1.value }?.key : nil
        guard let crowded else { return true }
        let least = entries.values.filter { $0.device == crowded }.min { $0.worth < $1.worth }
        guard let least else { return true }
        let isWorthMore = least.isOpen && least.confirmedBy == nil && least.key.topic.isCallForHelp
        guard key.topic.isCallForHelp || !isWorthMore else { return false }
        remove(least.key)
        return true
    }

    /// Takes over an alert that was open before a restart.
    mutating func restore(_ alert: RestoredAlert, at now: Timestamp) {
        guard entries[alert.key] == nil, makeRoom(for: alert.key, of: alert.device) else {
            removed.append(alert.key)
            return
        }
        entries[alert.key] = Entry(
            key: alert.key, device: alert.device, since: alert.since, raisedAt: alert.raisedAt,
            overdue: alert.overdue, secret: alert.secret, tellings: 1,
            nextAt: alert.confirmedBy == nil ? now : nil, confirmedBy: alert.confirmedBy)
    }

    /// - Returns: The alert, if it was open.
    mutating func end(_ key: Key, at now: Timestamp) -> Entry? {
        guard var entry = entries[key], entry.isOpen else { return nil }
        entry.endedAt = now
        entry.nextAt = nil
        entries[key] = entry
        return entry
    }

    /// Ends the alerts that the runner's own stop ends.
    ///
    /// - Returns: Those that were open.
    mutating func endRun(_ session: SessionID, at now: Timestamp) -> [Entry] {
        AlertTopic.allCases.filter { !$0.isCallForHelp }.compactMap {
            end(Key(session: session, topic: $0), at: now)
        }
    }

    /// Lets a receiver confirm an alert by a secret.
    mutating func grant(_ token: ShareID, of key: Key, to receiver: String) {
        guard entries[key] != nil else { return }
        grants[token] = Grant(key: key, receiver: receiver, told: grants[token]?.told)
    }

    /// Keeps what the receiver of a secret is told, for the page by which it confirms.
    mutating func note(_ told: AlertNotice, for token: ShareID) { grants[token]?.told = told }

    /// Takes back from a receiver that it may confirm alerts of a device.
    mutating func withdraw(_ receiver: String, of device: DeviceID) {
        grants = grants.filter {
            $0.value.receiver != receiver || entries[$0.value.key]?.device != device
        }
    }

    /// Confirms the alert of a secret.
    ///
    /// - Returns: The alert, and whether this confirmed it: it was open, and confirmed by nobody;
    ///   `nil`: no such alert.
    mutating func confirm(_ token: ShareID) -> (entry: Entry, isNew: Bool)? {
        guard let grant = grants[token], var entry = entries[grant.key] else { return nil }
        guard entry.confirmedBy == nil, entry.isOpen else { return (entry, false) }
        entry.confirmedBy = grant.receiver
        entry.nextAt = nil
        entries[grant.key] = entry
        return (entry, true)
    }

    /// Forgets alerts of sessions that were erased.
    mutating func forget(_ sessions: Set<SessionID>) {
        for key in entries.keys where sessions.contains(key.session) { remove(key) }
    }

    /// Takes the alert of which receivers are told next; the time after that is set.
    ///
    /// - Parameters:
    ///   - now: Current time.
    ///   - isFree: Whether a device's receivers can be told now.
    /// - Returns: `nil`: none is due. Calls for help come first, then new alerts.
    mutating func takeDue(at now: Timestamp, where isFree: (DeviceID) -> Bool) -> Entry? {
        forgetOld(at: now)
        let due = entries.values.filter { entry in
            entry.nextAt.map { $0 <= now } ?? false && isFree(entry.device)
        }
        func order(_ entry: Entry) -> (Int, Int, Timestamp, String) {
            (
                entry.key.topic.isCallForHelp ? 0 : 1, entry.tellings, entry.raisedAt,
                entry.secret.text
            )
        }
        guard var told = due.min(by: { order($0) < order($1) }) else { return nil }
        let wait = Self.waits.indices.contains(told.tellings) ? Self.waits[told.tellings] : nil
        told.tellings += 1
        told.nextAt = wait.map { now.advanced(bySeconds: $0) }
        entries[told.key] = told
        return told
    }

    // MARK: Queries

    /// What the receiver of a secret was told, and who takes care by now; `nil`: no such alert.
    func notice(for token: ShareID) -> (told: AlertNotice?, confirmedBy: String?)? {
        guard let grant = grants[token], let entry = entries[grant.key] else { return nil }
        return (grant.told, entry.confirmedBy)
    }

    /// Whether receivers may still be told of an alert: it is neither erased nor displaced, and not
    /// further than what they are to be told.
    func isWanted(_ entry: Entry, in phase: AlertMessage.Phase) -> Bool {
        guard let known = entries[entry.key], known.secret == entry.secret else { return false }
        return switch phase {
        case .raised: known.isOpen && known.confirmedBy == nil
        case .confirmed: known.isOpen
        case .over, .test: true
        }
    }

    /// Whether there is an alert of a kind of a device, or was a moment ago.
    func isKnown(_ topic: AlertTopic, of device: DeviceID) -> Bool {
        entries.values.contains { $0.key.topic == topic && $0.device == device }
    }

    func isKnown(_ key: Key) -> Bool { entries[key] != nil }

    /// Whether an alert of the device is open.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - onlyHelp: Whether only calls for help count.
    /// - Returns: Whether one is open, confirmed or not.
    func isOpen(_ device: DeviceID, onlyHelp: Bool = false) -> Bool {
        entries.values.contains {
            $0.device == device && $0.isOpen && (!onlyHelp || $0.key.topic.isCallForHelp)
        }
    }

    private mutating func forgetOld(at now: Timestamp) {
        for entry in entries.values {
            let isQuiet = entry.endedAt.map { now.seconds(since: $0) > Self.quietSeconds }
            if isQuiet ?? false || now.seconds(since: entry.raisedAt) > Self.lifetimeSeconds {
                remove(entry.key)
            }
        }
    }

    /// Alerts that are not known any more, for whoever keeps them elsewhere.
    mutating func takeRemoved() -> [Key] {
        defer { removed = [] }
        return removed.filter { entries[$0] == nil }
    }

    private mutating func remove(_ key: Key) {
        guard entries.removeValue(forKey: key) != nil else { return }
        removed.append(key)
        grants = grants.filter { $0.value.key != key }
    }
}

/// An alert that was open before a restart.
struct RestoredAlert: Sendable {
    let key: AlertCases.Key
    let device: DeviceID
    let since: Timestamp
    let raisedAt: Timestamp
    let overdue: RunWatch.Expectation?
    let secret: ShareID
    let confirmedBy: String?
}
