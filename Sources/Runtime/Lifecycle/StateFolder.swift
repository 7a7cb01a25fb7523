import Foundation
import Registry
public import SensorModel

/// The folder with all data of the daemon.
public struct StateFolder: Hashable, Sendable {
    public static let standard = "/var/lib/pulsecast"
    package static let runtime = "/run/pulsecast"
    /// A file system in memory.
    private static let memory = "/dev/shm"

    public let path: String

    /// Free bytes of its disk; `nil` if the disk does not say.
    package var freeBytes: Int? { Self.freeBytes(at: path) }

    /// Free bytes of a folder's disk; `nil` if the disk does not say.
    package static func freeBytes(at path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// Whether an earlier start made a key and a registry in it.
    public var exists: Bool { FileManager.default.fileExists(atPath: registry) }
    public var log: String { path + "/log" }
    /// The target of `path` if it is a link, because the attributes of a link say nothing.
    private var resolved: String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

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
        let spare = folders.compactMap {
            StateFolder(configured: $0, environment: [:]).spareSocket()
        }
        return folders.map { $0 + "/admin.sock" } + spare
    }

    /// Path of the admin socket while the disk of its usual folder cannot hold it. It is in a
    /// folder in memory that only the owner of the state folder can use.
    ///
    /// - Parameter isMade: Whether a missing folder is created.
    /// - Returns: `nil`: there is no such folder, or it is not safe.
    public func spareSocket(isMade: Bool = false) -> String? {
        let manager = FileManager.default
        guard let own = try? manager.attributesOfItem(atPath: resolved),
            let owner = own[.ownerAccountID] as? NSNumber,
            let device = own[.systemNumber] as? NSNumber,
            let file = own[.systemFileNumber] as? NSNumber
        else { return nil }
        let folder = "\(Self.memory)/pulsecast-\(owner)"
        if isMade {
            // It may exist already.
            try? manager.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        // Anybody may create a folder of that name, but not with this owner and mode.
        let found = try? manager.attributesOfItem(atPath: folder)
        guard found?[.type] as? FileAttributeType == .typeDirectory,
            found?[.ownerAccountID] as? NSNumber == owner,
            (found?[.posixPermissions] as? NSNumber)?.intValue == 0o700
        else { return nil }
        return "\(folder)/\(device)-\(file).sock"
    }

    /// Creates the folder and the log's folder, readable only by their owner. Correct modes are not
    /// set again, because the disk may be read-only.
    ///
    /// - Throws: ``StateFolderError`` if it cannot be created or is open to others.
    public func create() throws(StateFolderError) {
        do {
            let manager = FileManager.default
            for folder in [path, log] {
                try manager.createDirectory(
                    atPath: folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let mode =
                try manager.attributesOfItem(atPath: resolved)[.posixPermissions] as? NSNumber
            guard mode?.intValue != 0o700 else { return }
            try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        } catch {
            throw .unusable(path: path, reason: (error as NSError).localizedDescription)
        }
    }

    /// Trouble of the disk that holds the folder or its nearest existing parent; `nil`: the disk is
    /// not at fault.
    public var diskTrouble: DiskTrouble? {
        var folder = URL(fileURLWithPath: path)
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return .probing(folder.path)
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
