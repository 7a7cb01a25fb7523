extension Replicator {
    /// What the replicator has to send; pure.
    struct State {
        var outbox = Outbox()
        /// The message being sent, until the stream has it.
        var sending: (message: Outbox.Message, name: String)?
        var sequence: UInt64
        var isResigning = false
        var patienceMilliseconds = Replicator.patienceMilliseconds
        var ending: Ending?
        /// Times of the stream's last answer and of this node's last message, ms.
        var answered: Int
        var sent: Int
        var trouble: String?
    }
}

extension Replicator.State {
    /// The next message, its name, and the sequence that it must follow.
    mutating func next(
        _ node: String, _ term: UInt64, at now: Int
    ) -> (Outbox.Message, String, UInt64)? {
        guard ending == nil else { return nil }
        if sending == nil, let message = due(node, term, at: now) {
            // The name says which attempt of which leader: a repetition is stored once.
            sending = (message, "\(node)-\(term)-\(sequence)")
            sent = now
        }
        return sending.map { ($0.message, $0.name, sequence) }
    }

    private mutating func due(_ node: String, _ term: UInt64, at now: Int) -> Outbox.Message? {
        if let message = outbox.next(node, term) { return message }
        if isResigning {
            return Outbox.Message(StreamEntry(node: node, term: term, .resigned), upTo: nil)
        }
        guard now - sent >= Replicator.beatMilliseconds else { return nil }
        return Outbox.Message(StreamEntry(node: node, term: term, .beat), upTo: nil)
    }

    /// - Returns: How the term ends with this message; `nil`: it goes on.
    mutating func kept(
        _ message: Outbox.Message, as sequence: UInt64, at now: Int
    ) -> Replicator.Ending? {
        // Another thread has ended the term while the message was on its way.
        guard ending == nil else { return nil }
        self.sequence = sequence
        sending = nil
        answered = now
        trouble = nil
        outbox.keep(message)
        return isResigning && message.isResignation ? .resigned : nil
    }
}
