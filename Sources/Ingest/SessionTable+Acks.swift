public import SensorModel

extension SessionTable {
    /// A frame lies in the log, and its device wants to know when it is on disk.
    ///
    /// - Parameters:
    ///   - session: As ``FrameDecision/record(session:sequence:late:)`` had it.
    ///   - sequence: As that had it. A frame without a number is acknowledged by how many came
    ///     before it, while the device sends no numbers.
    ///   - late: As that had it.
    ///   - offset: Of its record.
    public mutating func recorded(
        _ session: SessionID, sequence: FrameSequence, late: Bool, at offset: RecordOffset
    ) {
        guard let slot = slot(of: session),
            sequence.isCounted || sessions[slot].hasArrivalToRecord
        else { return }
        awaitAck(slot)
        if !sequence.isCounted {
            sessions[slot].recordedArrival(at: offset)
        } else if late {
            sessions[slot].acks.recordedLate(sequence.rawValue, at: offset)
        } else {
            sessions[slot].acks.recorded(sequence.rawValue, at: offset)
        }
    }

    /// Whether ``durable(upTo:_:)`` may have acks though nothing more has become durable: a refused
    /// frame was passed behind which nothing waits for the disk.
    public var hasAckNews: Bool { slotsAwaitingAck.contains { sessions[$0].acks.hasNews } }

    /// - Parameters:
    ///   - end: Every record before it is on disk.
    ///   - body: Takes one ack for each connection that has news.
    public mutating func durable(upTo end: RecordOffset, _ body: (SessionAck) -> Void) {
        var stillWaiting = 0
        for index in slotsAwaitingAck.indices {
            let slot = slotsAwaitingAck[index]
            let news = sessions[slot].durable(upTo: end)
            if let sequence = news, let connection = sessions[slot].connection {
                body(
                    SessionAck(
                        connection: connection, session: sessions[slot].session,
                        sequence: FrameSequence(rawValue: sequence)))
            }
            if sessions[slot].isAwaitingAck {
                slotsAwaitingAck[stillWaiting] = slot
                stillWaiting += 1
            }
        }
        slotsAwaitingAck.removeLast(slotsAwaitingAck.count - stillWaiting)
    }

    /// Whether no ack is owed to a connection any more, nor to come of what a hole holds back.
    public func isSettled(_ connection: ConnectionID) -> Bool {
        guard let slot = session(of: connection).flatMap({ slot(of: $0) }) else { return true }
        return sessions[slot].held.isEmpty && !sessions[slot].isAwaitingAck
    }

    /// Call before the tracker changes: a session that waits already is in the list.
    func isListedForAck(_ slot: Int) -> Bool { sessions[slot].isAwaitingAck }

    mutating func awaitAck(_ slot: Int) {
        if !isListedForAck(slot) { slotsAwaitingAck.append(slot) }
    }
}
