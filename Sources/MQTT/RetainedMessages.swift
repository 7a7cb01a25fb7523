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

    /// Topics beyond this are not kept: a broker may hold any number of foreign topics.
    static let topicsMax = 256

    private var entries: [String: Entry] = [:]
    /// Topics with a message that waits, in order of their change.
    private var waiting: [String] = []

    /// Takes the message that its topic should keep. It waits to be sent if it differs from the last
    /// one, or if half of the last one's time is over.
    ///
    /// - Parameters:
    ///   - message: The message; an empty payload clears the topic.
    ///   - now: Monotonic seconds.
    mutating func put(_ message: BrokerMessage, at now: Double) {
        let known = entries[message.topic]
        if let known, known.message.payload == message.payload {
            let age = now - known.putAt
            guard let seconds = message.secondsKept, age >= Double(seconds) / 2 else { return }
        }
        guard known != nil || entries.count < Self.topicsMax else { return }
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
