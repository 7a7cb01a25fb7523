public enum ClusterStreamError: Error, Hashable, Sendable {
    /// Another message came first: `last` is the stream's last sequence, 0 if that is not known.
    case outranked(last: UInt64)
    /// The stream did not answer, or had no majority of servers. The call may have taken effect.
    case unavailable(String)
    /// Nobody answers questions to that node.
    case nobody
    /// A message or an answer is not signed with this installation's key.
    case notAuthentic
}

extension ClusterStreamError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outranked(let last): "another node has written to the stream, up to message \(last)"
        case .unavailable(let reason): "the stream does not answer: \(reason)"
        case .nobody: "the node does not answer"
        case .notAuthentic:
            "a message of the cluster is not signed with this node's master key: all nodes need "
                + "the same file master.key, or another program writes to the stream"
        }
    }
}
