import Foundation

/// The folder that holds all the daemon keeps.
public struct StateFolder: Hashable, Sendable {
    public static let standard = "/var/lib/pulsecast"
    static let runtime = "/run/pulsecast"

    public let path: String

    public var log: String { path + "/log" }
    public var registry: String { path + "/registry.sqlite" }
    public var masterKey: String { path + "/master.key" }

    /// - Parameters:
    ///   - configured: From flag, environment or file; empty: not said.
    ///   - environment: `STATE_DIRECTORY` counts, as systemd sets it.
    public init(configured: String, environment: [String: String]) {
        if !configured.isEmpty {
            path = configured
        } else if let directory = environment["STATE_DIRECTORY"], !directory.isEmpty {
            path = String(directory.prefix { $0 != ":" })
        } else {
            path = "./pulsecast-data"
        }
    }

    /// Where the daemon puts its admin socket.
    public func adminSocket(configured: String, environment: [String: String]) -> String {
        if !configured.isEmpty { return configured }
        if let directory = environment["RUNTIME_DIRECTORY"], !directory.isEmpty {
            return String(directory.prefix { $0 != ":" }) + "/admin.sock"
        }
        return path + "/admin.sock"
    }

    /// Where a command looks for the daemon's admin socket, in order.
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

    /// Creates the folder and that of the log, readable by their owner alone.
    ///
    /// - Throws: ``StateFolderError`` when it cannot be made or is open to others.
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

    /// Returns when the names in the folder are on disk: of a first start's key, registry and log,
    /// each of which is synced by itself.
    ///
    /// - Throws: ``StateFolderError`` when the disk does not take them.
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
