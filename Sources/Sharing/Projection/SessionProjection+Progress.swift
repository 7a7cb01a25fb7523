public import SensorModel

extension SessionProjection {
    /// A fact about a session that the log contains besides its events.
    public enum Mark: Sendable {
        /// The session's first record.
        case beginning
        /// The profile from here on: whether the runner is on a treadmill, where no fix ever comes.
        case profile(isOnTreadmill: Bool)
        /// Records, perhaps of this session, are damaged or were removed.
        case loss
    }

    /// The shown state so far, for a reader that continues from here.
    public struct Progress: Sendable {
        /// Device time of the first shown event; `nil`: none yet.
        public internal(set) var startedAt: Timestamp?
        /// The newest shown metrics.
        public internal(set) var metrics: ShownEvent?
        public internal(set) var splits: [Split] = []
        /// The newest shown event, of any kind.
        public internal(set) var newest: ShownEvent?
    }
}
