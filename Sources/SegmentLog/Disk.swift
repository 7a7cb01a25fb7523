import Glibc
public import SensorModel

/// The file operations that the log needs, on one folder.
///
/// The daemon uses `PosixDisk`. Tests use a simulated disk, on which every call can fail, be short,
/// be torn or be lost.
public protocol Disk: Sendable {
    /// File names, in any order.
    func list() throws(DiskError) -> [String]
    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile
    /// Replaces `target` if it exists.
    func rename(_ name: String, to target: String) throws(DiskError)
    func remove(_ name: String) throws(DiskError)
    /// Makes created, renamed and removed names durable.
    func synchronizeNames() throws(DiskError)
    /// Locks the folder until the last reference to the file is released or the process ends.
    func lock(_ name: String) throws(DiskError) -> any DiskFile
}

extension Disk {
    /// Opens a file; `nil` if it does not exist.
    package func openIfThere(
        _ name: String, _ access: DiskAccess
    ) throws(DiskError) -> (any DiskFile)? {
        do throws(DiskError) { return try open(name, access) } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    /// Writes a whole file under its temporary name, and syncs it.
    ///
    /// - Returns: The temporary name.
    func writeTemporary(_ bytes: [UInt8], for name: String) throws(DiskError) -> String {
        let temporary = name + SegmentFormat.temporarySuffix
        // An earlier failure may have left the file.
        try SegmentLog.removeIfThere(temporary, on: self)
        let file = try open(temporary, .create)
        try file.writeAll(bytes.span, at: 0)
        try file.synchronize()
        return temporary
    }
}

public enum DiskAccess: Hashable, Sendable {
    case read
    /// The file must exist.
    case write
    /// The file must not exist.
    case create
}

/// An open file. It is closed when the last reference is released.
public protocol DiskFile: AnyObject, Sendable {
    /// - Returns: Bytes written. A short write is allowed and tells nothing about the rest.
    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int
    /// Reads into `bytes` from index `start` on.
    ///
    /// - Returns: Bytes read; 0 at the end of the file.
    func read(into bytes: inout [UInt8], from start: Int, at position: Int) throws(DiskError) -> Int
    /// Calls fdatasync.
    func synchronize() throws(DiskError)
    func truncate(to bytes: Int) throws(DiskError)
    /// Reserves space on disk; the file grows to `bytes` and reads as zeros.
    func preallocate(_ bytes: Int) throws(DiskError)
    func size() throws(DiskError) -> Int
    /// Tells the system that only a few scattered bytes will be read, so that it need not read
    /// ahead. Affects speed only.
    func expectScatteredReads()
}

extension DiskFile {
    public func expectScatteredReads() {}
}

/// A system call that failed.
public struct DiskError: Error, Hashable, Sendable {
    public enum Call: String, Sendable {
        case list, open, read, write, synchronize, truncate, preallocate, rename, remove, lock
        case size, synchronizeNames
    }

    public var call: Call
    /// The file's name; empty for the folder.
    public var name: String
    /// The system's error number.
    public var number: Int32

    public init(call: Call, name: String, number: Int32) {
        self.call = call
        self.name = name
        self.number = number
    }

    public var trouble: DiskTrouble { DiskTrouble(number: number) }

    /// Whether the disk is the cause, and not for example the permissions of a file.
    public var isOfDisk: Bool { trouble.isRefusal || number == EIO }
}

extension DiskError: CustomStringConvertible {
    public var description: String {
        "\(trouble), \(place)"
    }

    /// The call, as the rest of a sentence.
    public var place: String {
        "at the \(call.noun) of \(name.isEmpty ? "the log's folder" : name)"
    }
}

extension DiskError.Call {
    fileprivate var noun: String {
        switch self {
        case .list: "listing"
        case .open: "opening"
        case .read: "reading"
        case .write: "writing"
        case .synchronize, .synchronizeNames: "syncing"
        case .truncate: "cutting"
        case .preallocate: "reservation"
        case .rename: "renaming"
        case .remove: "removal"
        case .lock: "locking"
        case .size: "measuring"
        }
    }
}
