public import SensorModel

/// The changes by one record: for shares that show everything, and for those that hide something.
public struct SessionUpdates: Sendable {
    /// An update and the arrival of its content, from which a delay counts.
    public struct Dated: Sendable {
        public var update: SessionUpdate
        public var arrival: Timestamp
        /// Everything shown after the first of several updates, for a share that begins with that
        /// update; `nil`: the session's fields.
        public var everything: SessionUpdate?
        /// Replaces `update` for shares that do not see its event: see ``ShownEvent/seen(in:)``.
        var covered: SessionUpdate?

        public init(update: SessionUpdate, arrival: Timestamp, everything: SessionUpdate? = nil) {
            self.update = update
            self.arrival = arrival
            self.everything = everything
        }

        /// The update in the form for a share of this scope.
        public func seen(in scope: Scope) -> Self {
            guard let covered, !scope.seesSplits else { return self }
            return Self(update: covered, arrival: arrival, everything: everything)
        }
    }

    public var everything: SessionUpdate
    /// Updates for the hiding view; `nil`: the device hides nothing, so all shares use the full
    /// ones.
    public var hiding: [Dated]?
}
