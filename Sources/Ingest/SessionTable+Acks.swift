public import SensorModel

extension SessionTable {
    /// Notes that the log has a frame, whose device gets an ack once the frame is on disk.
    ///
    /// - Parameters:
    ///   - session: The session of ``FrameDecision/record(session:sequence:late:)``.
    ///   - sequence: The sequence of that decision. The ack of a frame without a number counts the
    ///     frames before it, while the device sends no numbers.
    ///   - late: The flag of that decision.
    ///   - offset: Offset of its record.
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

    /// Whether ``durable(upTo:_:)`` may have acks without a new sync. This happens after a refused
    /// frame, if no earlier frame still waits for the disk.
    public var hasAckNews: Bool { slotsAwaitingAck.contains { sessions[$0].acks.hasNews } }

    /// - Parameters:
    ///   - end: Offset before which every record is on disk.
    ///   - body: Receives one ack for each connection that has a new one.
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

    /// Whether the connection has all its acks, and no held frame will cause another.
    public func owesNothing(to connection: ConnectionID) -> Bool {
        guard let slot = session(of: connection).flatMap({ slot(of: $0) }) else { return true }
        return sessions[slot].held.isEmpty && !sessions[slot].isAwaitingAck
    }

    /// Whether ``slotsAwaitingAck`` has the session; valid only before its ack tracker changes.
    func isListedForAck(_ slot: Int) -> Bool { sessions[slot].isAwaitingAck }

    mutating func awaitAck(_ slot: Int) {
        if !isListedForAck(slot) { slotsAwaitingAck.append(slot) }
    }
}
