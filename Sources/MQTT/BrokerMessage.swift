/// A message to or from a broker.
package struct BrokerMessage: Hashable, Sendable {
    package let topic: String
    package let payload: [UInt8]
    /// Whether the broker keeps a sent message, or has kept a received one from before the
    /// subscription.
    package let isRetained: Bool
    /// Seconds after which the broker forgets a sent message that is not renewed; `nil`: never.
    package let secondsKept: Int?

    package init(
        topic: String, payload: [UInt8], isRetained: Bool = true, secondsKept: Int? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.secondsKept = secondsKept
    }
}
