public import SensorModel

/// What the shares of one device with one delay and one scope show: they hold back the same updates, so
/// there is one queue for all of them. Belongs to the pipeline.
///
/// A share that comes later has a beginning of its own, its delay after it came. Up to there its viewers
/// wait; from there on it shows what the others show.
public struct DelayedView: Sendable {
    /// What shares must have in common to have one view.
    public struct Kind: Hashable, Sendable {
        public let device: DeviceID
        public let scope: Scope
        /// As ``Share/obeysPrivacy``.
        public let obeysPrivacy: Bool
        public let delaySeconds: Int

        /// `nil` for a share of a group, and for one without a delay.
        public init?(_ share: Share) {
            guard let device = share.device, share.delaySeconds > 0 else { return nil }
            self.device = device
            scope = share.scope
            obeysPrivacy = share.obeysPrivacy
            delaySeconds = share.delaySeconds
        }
    }

    /// An update and the shares whose viewers get it.
    public struct Release: Sendable {
        public let update: FeedUpdate
        public let shares: [ShareKey]
    }

    private enum Beginning {
        /// With the held update of that number, or the one that it was folded into.
        case with(number: Int)
        /// At that moment, before the update of that number.
        case at(Timestamp, before: Int)
        case begun
    }

    private struct Member {
        let share: Share
        /// Where the log was when the share first had to show something: what came before is in the
        /// log alone. `nil`: it has not been asked, nor had anything to show.
        var start: RecordOffset?
        /// What a viewer reads as time while nothing is shown.
        var time = Timestamp(microseconds: 0)
        var beginning: Beginning?
        /// A viewer that comes back may be here.
        var cursor: LogCursor?
        var isWatched = false

        var hasBegun: Bool { if case .begun = beginning { true } else { false } }
    }

    public let kind: Kind
    /// The oldest share first: it may show all that the others may.
    private var members: [Member] = [] {
        didSet { sortOut() }
    }
    /// Of ``members``, whose beginning is not decided.
    public private(set) var newcomers: [Share] = []
    /// Of ``members``, whose beginning is at a moment.
    private var beginnings: [(due: Timestamp, number: Int)] = []
    /// The first update with which one of ``members`` begins.
    private var firstNumber: Int?
    /// Of ``members``, those that have begun and are watched.
    private var watched: [Share] = []
    private var view: ShareView?
    /// What the view was last given.
    public private(set) var showing: SessionID?
    /// The cursor at which it was given everything: no older update tells it anything.
    private var begunAt: LogCursor?

    public init(_ kind: Kind) {
        self.kind = kind
    }

    public var isEmpty: Bool { members.isEmpty }

    /// The share that decides which session all show.
    public func oldest(at now: Timestamp) -> Share? {
        members.first { $0.share.isActive(at: now) }?.share
    }

    /// What every update asks, found whenever a share comes, goes or begins, which is rare.
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

    /// The share forgets what it shows, and begins anew.
    public mutating func letGo(of key: ShareKey) {
        guard let index = index(of: key) else { return }
        members[index] = Member(share: members[index].share)
        dropUnused()
    }

    /// - Parameters:
    ///   - key: Of a member.
    ///   - isWatched: Whether anybody gets what the share shows.
    public mutating func watch(_ key: ShareKey, _ isWatched: Bool) {
        guard let index = index(of: key), members[index].isWatched != isWatched else { return }
        members[index].isWatched = isWatched
    }

    private mutating func dropUnused() {
        guard members.allSatisfy({ $0.beginning == nil }) else { return }
        view = nil
        showing = nil
        begunAt = nil
    }

    public func contains(_ key: ShareKey) -> Bool { index(of: key) != nil }

    /// What the share was last given to show.
    public func showing(on key: ShareKey) -> SessionID? {
        index(of: key).flatMap { members[$0].beginning == nil ? nil : showing }
    }

    private func index(of key: ShareKey) -> Int? { members.firstIndex { $0.share.key == key } }

    // MARK: In

    /// Whether an update tells anything that was not told with everything.
    public func isNews(_ update: SessionUpdate) -> Bool {
        guard showing == update.session, let begunAt, !update.begins else { return true }
        return update.cursor > begunAt
    }

    /// - Parameters:
    ///   - update: As for ``ShareView/take(_:at:holding:)``; everything, where ``showing`` is another
    ///     session.
    ///   - newcomers: Shares that begin with it.
    ///   - start: What of the log comes before it.
    ///   - arrival: When the record came.
    ///   - now: Arrival clock.
    ///   - held: Updates that may be held back; more are folded together.
    public mutating func take(
        _ update: SessionUpdate, beginning newcomers: [Share], after start: RecordOffset,
        arrival: Timestamp, at now: Timestamp, holding held: Int
    ) {
        guard let first = members.first?.share else { return }
        var view = self.view.take() ?? ShareView(first, cursor: update.cursor, at: now)
        if showing != update.session {
            showing = update.session
            begunAt = update.cursor
        }
        let number = view.nextNumber
        _ = view.take(update, at: arrival, holding: held)
        let isHeld = view.nextNumber > number
        self.view = view
        guard !newcomers.isEmpty else { return }
        let keys = Set(newcomers.map(\.key))
        // In one step: each change of the members sorts them out.
        var members = self.members
        for index in members.indices where keys.contains(members[index].share.key) {
            if members[index].start == nil {
                members[index].start = start
                members[index].time = now
            }
            members[index].cursor = update.cursor
            members[index].beginning =
                isHeld
                ? .with(number: number)
                : .at(arrival.advanced(bySeconds: Double(kind.delaySeconds)), before: number)
        }
        self.members = members
    }

    /// Somebody asks what a share shows for the first time.
    ///
    /// - Parameters:
    ///   - key: Of a member.
    ///   - start: Where the log is.
    ///   - now: Arrival clock.
    public mutating func start(_ key: ShareKey, at start: RecordOffset, now: Timestamp) {
        guard let index = index(of: key), members[index].start == nil else { return }
        members[index].start = start
        members[index].time = now
    }

    /// A share goes along with the others, its delay from now.
    public mutating func begin(_ key: ShareKey, cursor: LogCursor, at now: Timestamp) {
        guard let index = index(of: key), members[index].beginning == nil, let view else { return }
        members[index].cursor = cursor
        members[index].beginning = .at(
            now.advanced(bySeconds: Double(kind.delaySeconds)), before: view.nextNumber)
    }

    // MARK: Out

    /// Updates held back now.
    public var heldCount: Int { view?.heldCount ?? 0 }

    /// When ``release(at:)`` next has something to do; `nil`: not before an update comes.
    public var nextDeadline: Timestamp? {
        let next = view?.nextDeadline
        guard !beginnings.isEmpty else { return next }
        let oldest = view?.oldestNumber
        let first = beginnings.map { beginning in
            // What it does not get goes first.
            guard let next, let oldest, oldest < beginning.number else { return beginning.due }
            return max(next, beginning.due)
        }.min()
        return [next, first].compactMap { $0 }.min()
    }

    /// - Parameter now: Arrival clock.
    /// - Returns: What is due by now, oldest first.
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

    /// If all that they do not get was released.
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
            let snapshot = snapshot(of: members[index])
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

    /// The arrival clock was set back: what is held goes on waiting for as long as it had to.
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

    /// - Returns: `nil` until somebody asked, or there was something to show.
    public func start(of key: ShareKey) -> RecordOffset? {
        index(of: key).flatMap { members[$0].start }
    }

    /// - Parameters:
    ///   - key: Of a member.
    ///   - epoch: Of the log.
    /// - Returns: What the share shows now.
    public func snapshot(of key: ShareKey, epoch: UInt32) -> FeedSnapshot? {
        guard let index = index(of: key) else { return nil }
        guard members[index].hasBegun, view?.snapshot.session != nil else {
            let none = LogCursor(epoch: epoch, offset: RecordOffset(rawValue: 0))
            return .waiting(cursor: none, time: members[index].time)
        }
        return snapshot(of: members[index])
    }

    private func snapshot(of member: Member) -> FeedSnapshot {
        guard var snapshot = view?.snapshot else {
            return .waiting(
                cursor: LogCursor(epoch: 0, offset: RecordOffset(rawValue: 0)), time: member.time)
        }
        if let cursor = member.cursor { snapshot.cursor = max(snapshot.cursor, cursor) }
        return snapshot
    }
}
