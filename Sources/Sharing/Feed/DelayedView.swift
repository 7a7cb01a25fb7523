public import SensorModel

/// The common view of one device's shares that have equal delay and scope. They hold back the same
/// updates, so one queue serves all of them. Belongs to the pipeline.
///
/// A share that is added later begins one delay after it was added. Until then its viewers wait;
/// after that it shows the same as the others.
public struct DelayedView: Sendable {
    /// The properties that shares of one view have in common.
    public struct Kind: Hashable, Sendable {
        public let device: DeviceID
        public let scope: Scope
        /// The shares' ``Share/hidesPlaces``.
        public let hidesPlaces: Bool
        public let delaySeconds: Int
        /// Whether the shares have a public name: these show only sessions that still go on.
        public let isPublic: Bool

        /// Returns `nil` for a share of a group, and for one without a delay.
        public init?(_ share: Share) {
            guard let device = share.device, share.delaySeconds > 0 else { return nil }
            self.device = device
            scope = share.scope
            hidesPlaces = share.hidesPlaces
            delaySeconds = share.delaySeconds
            isPublic = share.publicName != nil
        }
    }

    /// An update and the shares whose viewers get it.
    public struct Release: Sendable {
        public let update: FeedUpdate
        public let shares: [ShareKey]
    }

    private enum Beginning {
        /// Start with the held update of that number, or the update that it was merged into.
        case with(number: Int)
        /// Start at that time, before the update of that number.
        case at(Timestamp, before: Int)
        case begun
    }

    private struct Member {
        let share: Share
        /// End of the log when the share first had something to show; earlier records are only in
        /// the log. `nil` if nothing was requested from the share or shown on it yet.
        var start: RecordOffset?
        /// Time of ``start``, by the arrival clock. Never shown: it may be a session's beginning.
        var startTime = Timestamp(microseconds: 0)
        var beginning: Beginning?
        /// A cursor that a reconnecting viewer may have; no snapshot of the share has an older one.
        var cursor: LogCursor?
        var isWatched = false

        var hasBegun: Bool { if case .begun = beginning { true } else { false } }
    }

    public let kind: Kind
    /// The shares, oldest first. The oldest may show everything that the others may.
    private var members: [Member] = [] {
        didSet { sortOut() }
    }
    /// The ``members`` without a decided start.
    public private(set) var newcomers: [Share] = []
    /// The ``members`` that start at a set time.
    private var beginnings: [(due: Timestamp, number: Int)] = []
    /// The first update with which one of ``members`` starts.
    private var firstNumber: Int?
    /// The ``members`` that have started and have viewers.
    private var watched: [Share] = []
    private var view: ShareView?
    /// The session of the last update.
    public private(set) var showing: SessionID?
    /// Cursor of the last update, to reject older ones. A session that is read from the log again
    /// may repeat updates, and a trimmed finish may be released after the next session's start.
    private var newest: LogCursor?

    public init(_ kind: Kind) {
        self.kind = kind
    }

    public var isEmpty: Bool { members.isEmpty }

    /// The share that decides which session all members show.
    public func oldest(at now: Timestamp) -> Share? {
        members.first { $0.share.isActive(at: now) }?.share
    }

    /// Recomputes the lists that every update uses. Shares seldom join, leave or start.
    private mutating func sortOut() {
        newcomers = members.filter { $0.beginning == nil }.map(\.share)
        watched = members.filter { $0.hasBegun && $0.isWatched }.map(\.share)
        beginnings = members.compactMap { member in
            guard case .at(let due, let number) = member.beginning else { return nil }
            return (due, number)
        }
        firstNumber = members.compactMap { member in
            if case .with(let number) = member.beginning { number } else { nil }
        }.min()
    }

    public mutating func add(_ share: Share) {
        let older = { (member: Member) in
            (member.share.createdAt, member.share.key) < (share.createdAt, share.key)
        }
        let index = members.firstIndex { !older($0) } ?? members.count
        members.insert(Member(share: share), at: index)
    }

    public mutating func remove(_ key: ShareKey) {
        members.removeAll { $0.share.key == key }
        dropUnused()
    }

    /// Clears the share's state; the share then starts again.
    public mutating func reset(_ key: ShareKey) {
        guard let index = index(of: key) else { return }
        members[index] = Member(share: members[index].share)
        dropUnused()
    }

    /// - Parameters:
    ///   - key: Key of a member.
    ///   - isWatched: Whether the share has viewers.
    public mutating func watch(_ key: ShareKey, _ isWatched: Bool) {
        guard let index = index(of: key), members[index].isWatched != isWatched else { return }
        members[index].isWatched = isWatched
    }

    private mutating func dropUnused() {
        guard members.allSatisfy({ $0.beginning == nil }) else { return }
        view = nil
        showing = nil
        newest = nil
    }

    /// Forgets an erased session, whether it was shown or still held back.
    ///
    /// - Returns: The shares whose viewers may have seen something of it.
    public mutating func erase(_ session: SessionID) -> [ShareKey] {
        guard view?.has(session) == true else { return [] }
        let keys = members.filter { $0.beginning != nil }.map(\.share.key)
        view?.erase(session)
        if showing == session { showing = nil }
        if view?.snapshot.session == nil, heldCount == 0 {
            // The next request starts with the session that remains, one delay later.
            members = members.map { Member(share: $0.share) }
            dropUnused()
        }
        return keys
    }

    public func contains(_ key: ShareKey) -> Bool { index(of: key) != nil }

    /// The session last shown on the share.
    public func showing(on key: ShareKey) -> SessionID? {
        index(of: key).flatMap { members[$0].beginning == nil ? nil : showing }
    }

    private func index(of key: ShareKey) -> Int? { members.firstIndex { $0.share.key == key } }

    // MARK: In

    /// Whether an update is newer than the last one, or restarts the session that is shown.
    public func accepts(_ update: SessionUpdate) -> Bool {
        guard let newest else { return true }
        return update.cursor > newest || update.begins && update.session == showing
    }

    /// - Parameters:
    ///   - update: As for ``ShareView/take(_:at:holding:)``; it must be complete if ``showing`` is
    ///     another session.
    ///   - newcomers: Shares that start with this update.
    ///   - start: End of the log before the update.
    ///   - arrival: Arrival of the record.
    ///   - now: Time of the arrival clock.
    ///   - held: Maximum number of updates held back; more are merged.
    public mutating func take(
        _ update: SessionUpdate, beginning newcomers: [Share], after start: RecordOffset,
        arrival: Timestamp, at now: Timestamp, holding held: Int
    ) {
        guard let first = members.first?.share else { return }
        var view = self.view.take() ?? ShareView(first, cursor: update.cursor, at: now)
        showing = update.session
        newest = update.cursor
        let number = view.nextNumber
        _ = view.take(update, at: arrival, holding: held)
        let isHeld = view.nextNumber > number
        self.view = view
        guard !newcomers.isEmpty else { return }
        let keys = Set(newcomers.map(\.key))
        // A single assignment, since each change of the members recomputes the lists.
        var members = self.members
        for index in members.indices where keys.contains(members[index].share.key) {
            if members[index].start == nil {
                members[index].start = start
                members[index].startTime = now
            }
            members[index].cursor = update.cursor
            members[index].beginning =
                isHeld
                ? .with(number: number)
                : .at(arrival.advanced(bySeconds: Double(kind.delaySeconds)), before: number)
        }
        self.members = members
    }

    /// Starts a share at the first request for its view.
    ///
    /// - Parameters:
    ///   - key: Key of a member.
    ///   - start: End of the log.
    ///   - now: Time of the arrival clock.
    public mutating func start(_ key: ShareKey, at start: RecordOffset, now: Timestamp) {
        guard let index = index(of: key), members[index].start == nil else { return }
        members[index].start = start
        members[index].startTime = now
    }

    /// Lets a share join the others, one delay from now.
    public mutating func begin(_ key: ShareKey, cursor: LogCursor, at now: Timestamp) {
        guard let index = index(of: key), members[index].beginning == nil, let view else { return }
        members[index].cursor = cursor
        members[index].beginning = .at(
            now.advanced(bySeconds: Double(kind.delaySeconds)), before: view.nextNumber)
    }

    // MARK: Out

    /// Number of held updates.
    public var heldCount: Int { view?.heldCount ?? 0 }

    /// Next time at which ``release(at:)`` has work; `nil`: none before another update.
    public var nextDeadline: Timestamp? {
        let next = view?.nextDeadline
        guard !beginnings.isEmpty else { return next }
        let oldest = view?.oldestNumber
        let first = beginnings.map { beginning in
            // The share starts only after the updates that it does not get.
            guard let next, let oldest, oldest < beginning.number else { return beginning.due }
            return max(next, beginning.due)
        }.min()
        return [next, first].compactMap { $0 }.min()
    }

    /// - Parameter now: Time of the arrival clock.
    /// - Returns: The updates due by `now`, oldest first.
    public mutating func release(at now: Timestamp) -> [Release] {
        var releases: [Release] = []
        while let due = view?.nextDeadline, due <= now {
            beginThose(dueBy: now, into: &releases)
            guard let (number, update) = view?.release(at: now) else { break }
            let shares = watched.filter { $0.isActive(at: now) }.map(\.key)
            if !shares.isEmpty { releases.append(Release(update: update, shares: shares)) }
            guard let first = firstNumber, first <= number else { continue }
            begin(with: number, update, at: now, into: &releases)
        }
        beginThose(dueBy: now, into: &releases)
        return releases
    }

    /// Starts due shares once the updates before their start are released.
    private mutating func beginThose(dueBy now: Timestamp, into releases: inout [Release]) {
        guard !beginnings.isEmpty else { return }
        let oldest = view?.oldestNumber
        begin(into: &releases, with: nil, at: now) { beginning in
            guard case .at(let due, let number) = beginning else { return false }
            return due <= now && oldest.map { $0 >= number } ?? true
        }
    }

    private mutating func begin(
        with number: Int, _ update: FeedUpdate, at now: Timestamp, into releases: inout [Release]
    ) {
        begin(into: &releases, with: update, at: now) { beginning in
            guard case .with(let first) = beginning else { return false }
            return first <= number
        }
    }

    private mutating func begin(
        into releases: inout [Release], with update: FeedUpdate?, at now: Timestamp,
        where isNow: (Beginning) -> Bool
    ) {
        var members = self.members
        for index in members.indices {
            guard let beginning = members[index].beginning, isNow(beginning) else { continue }
            members[index].beginning = .begun
            let snapshot = snapshot(of: members[index], at: now)
            guard snapshot.session != nil, members[index].isWatched,
                members[index].share.isActive(at: now)
            else { continue }
            let everything = FeedUpdate(
                cursor: snapshot.cursor, time: snapshot.time, changed: snapshot.fields,
                event: update?.event, heartRate: snapshot.heartRate, urgent: true, begins: true)
            releases.append(Release(update: everything, shares: [members[index].share.key]))
        }
        self.members = members
    }

    /// Moves due times after the arrival clock was set back: held updates wait as long as before.
    public mutating func clockWentBack(byMicroseconds difference: Int64) {
        view?.clockWentBack(byMicroseconds: difference)
        var members = self.members
        for index in members.indices {
            guard case .at(let due, let number) = members[index].beginning else { continue }
            members[index].beginning = .at(
                due.advanced(byMicroseconds: -difference), before: number)
        }
        self.members = members
    }

    // MARK: What a viewer sees first

    /// - Returns: The start; `nil` before the first request or update.
    public func start(of key: ShareKey) -> RecordOffset? {
        index(of: key).flatMap { members[$0].start }
    }

    /// - Returns: Time of the start, by the arrival clock; `nil` as for ``start(of:)``.
    public func startTime(of key: ShareKey) -> Timestamp? {
        index(of: key).flatMap { members[$0].start == nil ? nil : members[$0].startTime }
    }

    /// - Parameters:
    ///   - key: Key of a member.
    ///   - epoch: Epoch of the log.
    ///   - now: Time of the request; an empty view reports it as its own time.
    /// - Returns: The share's current view; `nil` if the share is not a member.
    public func snapshot(of key: ShareKey, epoch: UInt32, at now: Timestamp) -> FeedSnapshot? {
        guard let index = index(of: key) else { return nil }
        guard members[index].hasBegun, view?.snapshot.session != nil else {
            let none = LogCursor(epoch: epoch, offset: RecordOffset(rawValue: 0))
            return .waiting(cursor: none, time: now)
        }
        return snapshot(of: members[index], at: now)
    }

    private func snapshot(of member: Member, at now: Timestamp) -> FeedSnapshot {
        guard var snapshot = view?.snapshot else {
            return .waiting(
                cursor: LogCursor(epoch: 0, offset: RecordOffset(rawValue: 0)), time: now)
        }
        if let cursor = member.cursor { snapshot.cursor = max(snapshot.cursor, cursor) }
        return snapshot
    }
}
