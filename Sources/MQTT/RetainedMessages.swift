/// The messages that a broker should keep, and those that it still has to be sent. Pure.
///
/// A message that waits is replaced by the next one of its topic, so a slow broker gets the newest
/// values and costs no memory.
struct RetainedMessages: Sendable {
    private struct Entry: Sendable {
        var message: BrokerMessage
        /// Monotonic seconds.
        var putAt: Double
        var isWaiting: Bool
    }

    /// Topics beyond this are not kept.
    static let topicsMax = 256
    /// Of these, topics that are not the daemon's own: a broker may hold any number.
    static let foreignMax = topicsMax / 2

    private var entries: [String: Entry] = [:]
    /// Topics with a message that waits, in order of their change.
    private var waiting: [String] = []

    /// Takes the message that its topic should keep. It waits to be sent if it differs from the last
    /// one, or if half of the last one's time is over.
    ///
    /// - Parameters:
    ///   - message: The message; an empty payload clears the topic.
    ///   - now: Monotonic seconds.
    ///   - isForeign: Whether the topic is not the daemon's own, and is only cleared.
    mutating func put(_ message: BrokerMessage, at now: Double, isForeign: Bool = false) {
        let known = entries[message.topic]
        if let known, known.message.payload == message.payload {
            let age = now - known.putAt
            guard let seconds = message.secondsKept, age >= Double(seconds) / 2 else { return }
        }
        let most = isForeign ? Self.foreignMax : Self.topicsMax
        guard known != nil || entries.count < most else { return }
        entries[message.topic] = Entry(message: message, putAt: now, isWaiting: true)
        if !(known?.isWaiting ?? false) { waiting.append(message.topic) }
    }

    /// - Returns: The message that waits for longest, which then waits no more; `nil`: none waits.
    mutating func takeNext() -> BrokerMessage? {
        guard !waiting.isEmpty else { return nil }
        let topic = waiting.removeFirst()
        entries[topic]?.isWaiting = false
        return entries[topic]?.message
    }

    /// Forgets everything: a new connection begins with what is shown then, not with old values.
    mutating func removeAll() {
        entries = [:]
        waiting = []
    }
}
