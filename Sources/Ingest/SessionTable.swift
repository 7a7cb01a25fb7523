public import SensorModel

/// The map of connections to sessions, and the order in which frames enter each session.
///
/// It belongs to the pipeline and has no clock: callers pass the time. A frame in order passes
/// without a copy or an allocation. Calls that may close a hole are
/// ``accept(_:payload:from:at:)``, ``refuse(_:from:at:)`` and ``advance(to:)``. After each of them
/// the caller empties ``popReleased()``.
public struct SessionTable: Sendable {
    let settings: IngestSettings
    /// Sessions by slot; the content of a free slot has no meaning.
    var sessions: [SessionState] = []
    /// The number of sessions that have left each slot.
    var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    private(set) var slotOfSession: [SessionID: Int] = [:]
    var slotOfConnection: [ConnectionID: Int] = [:]
    /// Slot of the last connection: a cache, since consecutive frames are mostly of one connection.
    var lastConnection: (connection: ConnectionID, slot: Int)?
    var deadlines = DeadlineQueue()
    var releases: [Pending] = []
    var releasedCount = 0
    var heldBytesTotal = 0
    /// Slots of sessions with an ack due.
    var slotsAwaitingAck: [Int] = []
    var latestTime: Timestamp?

    /// An item that waits for frames that are not recorded yet.
    enum Pending {
        case out(Release)
        /// A refused number, which acks pass once the frames released before it are on disk.
        case passed(SessionID, UInt32)
    }

    public init(settings: IngestSettings = IngestSettings(), recovered: [SessionRecovery] = []) {
        self.settings = settings
        for recovery in recovered { restore(recovery) }
    }

    public var sessionCount: Int { slotOfSession.count }
    public var connectionCount: Int { slotOfConnection.count }

    /// Adds a session from the log, or one that ``forget(_:)`` returned.
    public mutating func restore(_ recovery: SessionRecovery) {
        guard slotOfSession[recovery.session] == nil else { return }
        var state = SessionState(recovery)
        state.isUsed = true
        insert(state)
    }

    /// Adds older gaps to a session that continued before all of its log was read again.
    ///
    /// - Parameters:
    ///   - gaps: Gaps from the log, rising; below every later gap.
    ///   - session: Any session.
    public mutating func remember(_ gaps: [ClosedRange<UInt32>], of session: SessionID) {
        guard !gaps.isEmpty, let slot = slot(of: session) else { return }
        sessions[slot].gaps = GapRanges(gaps + sessions[slot].gaps.ranges)
    }

    /// Removes a session without a connection, such as one that ended long ago.
    ///
    /// - Parameter session: Any session.
    /// - Returns: The state to restore it with; `nil` for a session that is unknown or open, holds
    ///   frames, or has an ack due.
    public mutating func forget(_ session: SessionID) -> SessionRecovery? {
        guard let slot = slotOfSession[session], sessions[slot].connection == nil,
            !sessions[slot].isAwaitingAck, sessions[slot].held.isEmpty
        else { return nil }
        let recovery = sessions[slot].recovery
        erase(session)
        return recovery
    }

    /// Removes a deleted session in any state.
    ///
    /// - Parameter session: Any session.
    /// - Returns: Its connection, to be closed.
    @discardableResult
    public mutating func erase(_ session: SessionID) -> ConnectionID? {
        guard let slot = slotOfSession.removeValue(forKey: session) else { return nil }
        let connection = sessions[slot].connection
        if let connection { detach(connection) }
        heldBytesTotal -= sessions[slot].held.payloadBytes
        // Frees the held frames.
        sessions[slot] = SessionState(
            SessionRecovery(
                session: SessionID(high: 0, low: 0), device: DeviceID(rawValue: 0)))
        generations[slot] &+= 1
        freeSlots.append(slot)
        slotsAwaitingAck.removeAll { $0 == slot }
        return connection
    }

    /// The session's state for a restore, even after its connection closed; `nil` for an unknown
    /// session.
    public func recovery(of session: SessionID) -> SessionRecovery? {
        slot(of: session).map { sessions[$0].recovery }
    }

    /// The clocks of a session; `nil` for an unknown one.
    public func clock(of session: SessionID) -> ClockModel? {
        slotOfSession[session].flatMap { sessions[$0].clock }
    }

    func slot(of session: SessionID) -> Int? {
        // Usually this is the session of the frame accepted just before.
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
    mutating func insert(_ state: SessionState) -> Int {
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
