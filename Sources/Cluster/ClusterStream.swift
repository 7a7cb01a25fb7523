/// The ordered stream through which a cluster's leader sends its changes to the other nodes.
///
/// The daemon uses a stream of NATS JetStream. Tests use a simulated one, on which each call can
/// fail, take effect without an answer, or wait. All calls block their thread, at most some
/// seconds.
public protocol ClusterStream: NodeConversation {
    /// Makes the stream if there is none.
    func state() throws(ClusterStreamError) -> StreamState

    /// Appends a message if `last` is still the stream's last sequence.
    ///
    /// The same call may be repeated after ``ClusterStreamError/unavailable(_:)``: a message that
    /// was stored by the first attempt is not stored again, and its sequence is returned.
    ///
    /// - Parameters:
    ///   - message: At most ``ClusterLimits/messageBytesMax`` bytes.
    ///   - last: The stream's last sequence; 0: it is empty.
    ///   - name: Names this message among all of the stream.
    /// - Returns: The message's sequence, once the stream's servers have it on their disks.
    /// - Throws: ``ClusterStreamError/outranked(last:)`` if another message came first.
    func append(
        _ message: [UInt8], after last: UInt64, name: String
    ) throws(ClusterStreamError) -> UInt64

    /// Reads messages in order.
    ///
    /// - Parameters:
    ///   - sequence: The first that is wanted.
    ///   - milliseconds: Longest wait for the first message.
    /// - Returns: Messages with ascending sequences; empty if none came. A first sequence above the
    ///   wanted one means that the stream has removed those between.
    /// - Throws: ``ClusterStreamError``
    func read(
        from sequence: UInt64, waitingMilliseconds milliseconds: Int
    ) throws(ClusterStreamError) -> [StreamMessage]

    /// Removes all messages below a sequence, on all servers.
    func remove(below sequence: UInt64) throws(ClusterStreamError)
}

public enum ClusterLimits {
    /// With a signature. NATS takes 1 MiB by default, headers included.
    public static let messageBytesMax = 960 << 10
}
