package import SensorModel

/// How the sessions in memory change. A session in memory may change in the log at any time; one
/// that is not can not.
package enum SessionMemory: Hashable, Sendable {
    /// Its head has this offset.
    case began(SessionID, DeviceID, at: RecordOffset)
    case held(SessionID)
    /// Its frames have ended, or it was silent for long enough.
    case ended(SessionID, DeviceID)
    /// It has no record from this offset on.
    case released(SessionID, before: RecordOffset)
}
