public import SensorModel

/// Which connection feeds which session, and in which order frames enter it.
///
/// Belongs to the pipeline and has no clock: time is passed in. A frame in order passes
/// without a copy and without an allocation. After every call that may move a hole
/// (``accept(_:payload:from:at:)``, ``refuse(_:from:at:)``, ``advance(to:)``) the caller empties
/// ``popReleased()``.
public struct SessionTable: Sendable {
    let settings: IngestSettings
    /// What stands in a free slot means nothing.
    var sessions: [SessionState] = []
    /// Of each slot, how many sessions have left it.
    var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    private(set) var slotOfSession: [SessionID: Int] = [:]
    private var slotOfConnection: [ConnectionID: Int] = [:]
    /// Frames come in runs of one connection; its slot is not looked up again.
    private var lastConnection: (connection: ConnectionID, slot: Int)?
    var deadlines = DeadlineQueue()
    var releases: [Pending] = []
    var releasedCount = 0
    var heldBytesTotal = 0
    /// Slots of sessions that wait for an ack.
    var slotsAwaitingAck: [Int] = []
    var latestTime: Timestamp?

    /// What waits for its turn behind frames that are not recorded yet.
    enum Pending {
        case out(Release)
        /// A refused number: no ack passes it before what was released ahead of it is on disk.
        case passed(SessionID, UInt32)
    }

    public init(settings: IngestSettings = IngestSettings(), recovered: [SessionRecovery] = []) {
        self.settings = settings
        for recovery in recovered { restore(recovery) }
    }

    public var sessionCount: Int { slotOfSession.count }
    public var connectionCount: Int { slotOfConnection.count }

    /// Takes a session in that the log knows, or that ``forget(_:)`` gave out.
    public mutating func restore(_ recovery: SessionRecovery) {
        guard slotOfSession[recovery.session] == nil else { return }
        var state = SessionState(recovery)
        state.isUsed = true
        insert(state)
    }

    /// Gaps of a session that went on before all of its log was read again.
    ///
    /// - Parameters:
    ///   - gaps: As the log left them, rising; below every gap since.
    ///   - session: Any session.
    public mutating func remember(_ gaps: [ClosedRange<UInt32>], of session: SessionID) {
        guard !gaps.isEmpty, let slot = slot(of: session) else { return }
        sessions[slot].gaps = GapRanges(gaps + sessions[slot].gaps.ranges)
    }

    /// Removes a session without a connection, as one that ended long ago.
    ///
    /// - Parameter session: Any session.
    /// - Returns: What to restore it with; `nil` for one that is unknown, open, or owed an ack.
    public mutating func forget(_ session: SessionID) -> SessionRecovery? {
        guard let slot = slotOfSession[session], sessions[slot].connection == nil,
            !sessions[slot].isAwaitingAck, sessions[slot].held.isEmpty
        else { return nil }
        let recovery = sessions[slot].recovery
        erase(session)
        return recovery
    }

    /// Removes a session whatever its state: it was deleted.
    ///
    /// - Parameter session: Any session.
    /// - Returns: Its connection, to be closed.
    @discardableResult
    public mutating func erase(_ session: SessionID) -> ConnectionID? {
        guard let slot = slotOfSession.removeValue(forKey: session) else { return nil }
        let connection = sessions[slot].connection
        if let connection { detach(connection) }
        heldBytesTotal -= sessions[slot].held.payloadBytes
        // Frees what it held.
        sessions[slot] = SessionState(
            SessionRecovery(
                session: SessionID(high: 0, low: 0), device: DeviceID(rawValue: 0)))
        generations[slot] &+= 1
        freeSlots.append(slot)
        slotsAwaitingAck.removeAll { $0 == slot }
        return connection
    }

    /// A hello has been accepted.
    ///
    /// - Parameters:
    ///   - connection: Where it came; a second hello of the same connection moves it over.
    ///   - device: Whose token it had.
    ///   - session: As in the hello.
    ///   - recorded: As in the hello; of a known session, what was said first holds.
    /// - Returns: What to answer, and whom to close.
    public mutating func open(
        _ connection: ConnectionID, device: DeviceID, session: SessionID, recorded: Bool
    ) -> OpenDecision {
        let known = slotOfSession[session]
        if let known, sessions[known].device != device { return .foreign }
        let slot =
            known
            ?? insert(
                SessionState(
                    SessionRecovery(session: session, device: device, recorded: recorded)))
        let previous = sessions[slot].connection
        if slotOfConnection[connection] != slot { close(connection) }
        if let previous, previous != connection { detach(previous) }
        sessions[slot].connection = connection
        slotOfConnection[connection] = slot
        return .opened(
            acknowledged: FrameSequence(rawValue: sessions[slot].acks.acknowledged),
            isNew: known == nil, replaces: previous == connection ? nil : previous)
    }

    /// The connection is gone; its session stays, and what it holds back waits on. A session to
    /// which nothing was sent goes with it: a hello alone must not cost memory for ever.
    public mutating func close(_ connection: ConnectionID) {
        guard let slot = slotOfConnection[connection] else { return }
        detach(connection)
        if !sessions[slot].isUsed { erase(sessions[slot].session) }
    }

    private mutating func detach(_ connection: ConnectionID) {
        guard let slot = slotOfConnection.removeValue(forKey: connection) else { return }
        sessions[slot].connection = nil
        lastConnection = nil
    }

    public func session(of connection: ConnectionID) -> SessionID? {
        slotOfConnection[connection].flatMap { sessions[$0].session }
    }

    public func connection(of session: SessionID) -> ConnectionID? {
        slotOfSession[session].flatMap { sessions[$0].connection }
    }

    /// Whose a session is and how it was opened, though its connection may have gone since; `nil`
    /// for one that is unknown.
    public func recovery(of session: SessionID) -> SessionRecovery? {
        slot(of: session).map { sessions[$0].recovery }
    }

    /// The clocks of a session; `nil` for one that is unknown.
    public func clock(of session: SessionID) -> ClockModel? {
        slotOfSession[session].flatMap { sessions[$0].clock }
    }

    func slot(of session: SessionID) -> Int? {
        // Mostly it is the session of the frame that has just been accepted.
        if let last = lastConnection, sessions[last.slot].session == session { return last.slot }
        return slotOfSession[session]
    }

    mutating func slot(of connection: ConnectionID) -> Int? {
        if let last = lastConnection, last.connection == connection { return last.slot }
        guard let slot = slotOfConnection[connection] else { return nil }
        lastConnection = (connection, slot)
        return slot
    }

    @discardableResult
    private mutating func insert(_ state: SessionState) -> Int {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            sessions[slot] = state
        } else {
            slot = sessions.count
            sessions.append(state)
            generations.append(0)
        }
        slotOfSession[state.session] = slot
        return slot
    }
}
