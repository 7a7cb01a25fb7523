public import SegmentLog

/// The folders of a node whose files the cluster keeps.
public struct NodeFolders: Sendable {
    /// The state folder. Only ``ClusterFiles/registry`` in it is the cluster's.
    public let state: any Disk
    /// The folder `log/`.
    public let log: any Disk

    public init(state: any Disk, log: any Disk) {
        self.state = state
        self.log = log
    }

    func disk(of name: String) -> any Disk { name == ClusterFiles.registry ? state : log }

    /// Names of the files that are here and that all nodes keep.
    func names() throws(DiskError) -> [String] {
        let names = try log.list().filter { !ClusterFiles.isOwn($0) }
        return try names + state.list().filter { $0 == ClusterFiles.registry }
    }

    /// Whether SQLite's write-ahead log has commits that the registry's file lacks.
    func hasUnfoldedCommits() throws(DiskError) -> Bool {
        try state.openIfThere(ClusterFiles.registry + "-wal", .read)?.size() ?? 0 > 0
    }

    /// Removes what only a leader needs: files of copies, and those that SQLite keeps beside the
    /// registry. The registry alone is complete in a follower.
    func removeLeftovers() throws(DiskError) {
        for name in try log.list() where name.hasPrefix(ClusterFiles.pinnedPrefix) {
            try log.remove(name)
        }
        for name in try state.list()
        where ["-wal", "-shm", "-journal"].contains(where: { name == ClusterFiles.registry + $0 }) {
            try state.remove(name)
        }
        try state.synchronizeNames()
    }
}
