import Glibc

/// The process's limit of open files, which every connection counts against.
package enum OpenFiles {
    /// Files for segments, the registry, rings and threads.
    package static let reserved = 256
    /// Minimum number of connections, even if the limit has no room for them.
    static let connectionsMin = 16

    /// Raises the limit as far as `connections` need it and the system allows.
    package static func raise(for connections: Int) {
        guard var limit = current() else { return }
        let wanted = rlim_t(connections + reserved)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // If this fails, there is room for fewer connections.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// - Parameter connections: Connections that the owner allows.
    /// - Returns: `connections`, or fewer if the limit of files has no room for them.
    package static func room(for connections: Int) -> Int {
        guard let limit = current() else { return connections }
        return room(for: connections, files: Int(clamping: limit.rlim_cur))
    }

    static func room(for connections: Int, files: Int) -> Int {
        min(connections, max(connectionsMin, files - reserved))
    }

    private static func current() -> rlimit? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return limit
    }
}
