/// What the daemon itself notes in a session's records: inputs that came from no frame.
///
/// Processors are told of them in the order of the log, so that a replay computes the same.
public enum SessionTick: Hashable, Sendable {
    /// Nothing came up to the record's device time, which is an estimate: states age, nothing else.
    case silence
    /// These sequences were waited for and did not come.
    case gap(from: FrameSequence, to: FrameSequence)
    /// Nothing came for so long that the session has ended.
    case ended
}
