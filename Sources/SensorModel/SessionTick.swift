/// An input of a session that comes from the daemon and not from a frame.
///
/// Processors get these in log order, so that a replay computes the same.
public enum SessionTick: Hashable, Sendable {
    /// No frame came up to the record's device time, which is an estimate. Only states age.
    case silence
    /// The daemon waited for these sequences, and they did not come.
    case gap(from: FrameSequence, to: FrameSequence)
    /// No frame came for so long that the session has ended.
    case ended
}
