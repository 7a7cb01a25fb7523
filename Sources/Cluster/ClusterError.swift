public import SegmentLog

/// Why a node cannot go on.
public enum ClusterError: Error, Hashable, Sendable {
    /// A message or an answer does not parse.
    case notUnderstood
    /// A message of a version that this program does not know.
    case newerVersion(Int)
    /// The node's own disk.
    case disk(DiskError)
    /// The folder has recordings of its own, and the cluster's are others.
    case hasOwnRecordings
    /// The folder belongs to a stream that does not exist any more.
    case otherStream
    /// Another node has this node's name.
    case sameName(String)
    /// The files are an unfinished copy, and were to lead.
    case mixedFiles
    /// The leader cannot give its files now, in a word why.
    case noCopy(String)
    case stream(ClusterStreamError)
}

extension ClusterError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notUnderstood:
            "a message of the cluster is damaged: this node compares its files with the leader's"
        case .newerVersion(let version):
            "the cluster's messages have version \(version), which this program does not know: "
                + "install the version of the leader on this node"
        case .disk(let error): "the state folder: \(error)"
        case .hasOwnRecordings:
            "this node has recordings of its own and the cluster has others: move the state "
                + "folder away, keep only master.key in a new one, and start the node again"
        case .otherStream:
            "the state folder belongs to a stream that was deleted, and the new one has no leader: "
                + "on the node whose recordings count, start with --lead-cluster once"
        case .sameName(let name):
            "another node of the cluster is named \(name), too: give each node a cluster.node of "
                + "its own"
        case .mixedFiles:
            "the files of this node are an unfinished copy and cannot lead: take another node, or "
                + "restore a backup"
        case .noCopy(let reason): "the leader gives no files now: \(reason)"
        case .stream(let error): "\(error)"
        }
    }
}
