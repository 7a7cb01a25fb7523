/// A limit on recorded sessions, because the catalog keeps each in memory while the log has it.
///
/// A device may have up to four times as many sessions as are still free. So a single device can
/// take at most four fifths of the quota, and room remains for others.
///
/// Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
/// switches", IEEE/ACM Transactions on Networking 6(2), 1998, with a factor of 4.
public struct SessionQuota: Hashable, Sendable {
    /// Recorded sessions of one device, and of all.
    public struct Count: Hashable, Sendable {
        public var own: Int
        public var all: Int

        public init(own: Int, all: Int) {
            self.own = own
            self.all = all
        }
    }

    /// Maximum number of sessions of all devices together.
    public let sessionsMax: Int

    public init(sessionsMax: Int) { self.sessionsMax = sessionsMax }

    /// - Returns: Whether the device may begin a session.
    public func hasRoom(_ recorded: Count) -> Bool {
        recorded.own < 4 * (sessionsMax - recorded.all)
    }
}
