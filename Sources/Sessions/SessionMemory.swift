package import SensorModel

/// A change of the set of sessions in memory. Only a session in memory may change in the log.
package enum SessionMemory: Hashable, Sendable {
    /// A new session, whose head has this offset.
    case began(SessionID, DeviceID, at: RecordOffset)
    case held(SessionID)
    /// The session's frames have ended, or it was silent for long enough.
    case ended(SessionID, DeviceID)
    /// The session was evicted: it has no record from this offset on.
    case released(SessionID, before: RecordOffset)
}
