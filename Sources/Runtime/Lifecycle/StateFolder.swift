import Foundation

/// The folder with all data of the daemon.
public struct StateFolder: Hashable, Sendable {
    public static let standard = "/var/lib/pulsecast"
    package static let runtime = "/run/pulsecast"

    public let path: String

    public var log: String { path + "/log" }
    public var registry: String { path + "/registry.sqlite" }
    public var masterKey: String { path + "/master.key" }

    /// - Parameters:
    ///   - configured: Value of flag, environment or file; empty: none.
    ///   - environment: Environment with systemd's `STATE_DIRECTORY`.
    public init(configured: String, environment: [String: String]) {
        if !configured.isEmpty {
            path = configured
        } else if let directory = environment["STATE_DIRECTORY"], !directory.isEmpty {
            path = String(directory.prefix { $0 != ":" })
        } else {
            path = "./pulsecast-data"
        }
    }

    /// Path of the daemon's admin socket.
    public func adminSocket(configured: String, environment: [String: String]) -> String {
        if !configured.isEmpty { return configured }
        if let directory = environment["RUNTIME_DIRECTORY"], !directory.isEmpty {
            return String(directory.prefix { $0 != ":" }) + "/admin.sock"
        }
        return path + "/admin.sock"
    }

    /// Paths at which a command looks for the daemon's admin socket, in order.
    public static func adminSocketCandidates(
        stateFolder: String?, environment: [String: String]
    ) -> [String] {
        var folders: [String] = []
        if let stateFolder {
            folders.append(stateFolder)
        } else {
            if let runtime = environment["RUNTIME_DIRECTORY"], !runtime.isEmpty {
                folders.append(String(runtime.prefix { $0 != ":" }))
            }
            folders.append(runtime)
            if let state = environment["STATE_DIRECTORY"], !state.isEmpty {
                folders.append(String(state.prefix { $0 != ":" }))
            }
            folders += [standard, "./pulsecast-data"]
        }
        return folders.map { $0 + "/admin.sock" }
    }

    /// Creates the folder and the log's folder, readable only by their owner.
    ///
    /// - Throws: ``StateFolderError`` if it cannot be created or is open to others.
    public func create() throws(StateFolderError) {
        do {
            for folder in [path, log] {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: path)
        } catch {
            throw .unusable(path: path, reason: (error as NSError).localizedDescription)
        }
    }

    /// Syncs the names in the folder, for the key, registry and log of a first start. Each of these
    /// files syncs its own content.
    ///
    /// - Throws: ``StateFolderError`` if the sync fails.
    public func synchronizeNames() throws(StateFolderError) {
        do {
            let folder = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            try folder.synchronize()
            try folder.close()
        } catch {
            throw .unusable(path: path, reason: (error as NSError).localizedDescription)
        }
    }
}

public enum StateFolderError: Error, Hashable, Sendable, CustomStringConvertible {
    case unusable(path: String, reason: String)

    public var description: String {
        switch self {
        case .unusable(let path, let reason):
            "cannot use the state folder \(path): \(reason); give another one with --state"
        }
    }
}
