import Foundation
public import SensorModel

extension DiskTrouble {
    /// More bytes than the opening of a registry's files needs.
    private static let probeBytes = 64 << 10

    /// Writes a small file into a folder and removes it.
    ///
    /// - Parameter folder: Path of an existing folder.
    /// - Returns: Why the disk does not take the file; `nil` if it does, or if something other than
    ///   the disk refuses it, for example the folder's permissions.
    public static func probing(_ folder: String) -> DiskTrouble? {
        let path = "\(folder)/probe-\(ProcessInfo.processInfo.processIdentifier)"
        let manager = FileManager.default
        defer {
            // A leftover probe is harmless; the next one replaces it.
            try? manager.removeItem(atPath: path)
        }
        do {
            try Data(repeating: 0x50, count: probeBytes).write(to: URL(fileURLWithPath: path))
            return nil
        } catch let error as CocoaError {
            switch error.code {
            case .fileWriteOutOfSpace: return DiskTrouble.full.examined(in: folder)
            case .fileWriteVolumeReadOnly: return .readOnly
            case .fileWriteNoPermission, .fileNoSuchFile: return nil
            default: return (error.underlying as? POSIXError).map { Self(number: $0.errorCode) }
            }
        } catch {
            return nil
        }
    }

    /// Tells a disk without inodes from one without blocks, for which the system has one error.
    ///
    /// - Parameter folder: A folder on the disk.
    /// - Returns: ``noFilesLeft`` if that is why the disk is full.
    public func examined(in folder: String) -> DiskTrouble {
        self == .full && !Self.hasFilesLeft(folder) ? .noFilesLeft : self
    }

    private static func hasFilesLeft(_ folder: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        let (all, free) = (attributes?[.systemNodes], attributes?[.systemFreeNodes])
        // Some file systems have no fixed number of inodes, and say 0.
        guard let all = all as? NSNumber, all.uint64Value > 0, let free = free as? NSNumber else {
            return true
        }
        return free.uint64Value > 0
    }
}

extension POSIXError {
    fileprivate var errorCode: Int32 { code.rawValue }
}
