/// One folder of files, as the log needs it.
///
/// `PosixDisk` in the daemon; a simulated one in tests, where every call can fail, be short, be
/// torn or be lost.
public protocol Disk: Sendable {
    /// File names, in no order.
    func list() throws(DiskError) -> [String]
    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile
    /// Replaces `target` where it exists.
    func rename(_ name: String, to target: String) throws(DiskError)
    func remove(_ name: String) throws(DiskError)
    /// Makes created, renamed and removed names durable.
    func synchronizeNames() throws(DiskError)
    /// Held until the last reference to the file goes or the process ends.
    func lock(_ name: String) throws(DiskError) -> any DiskFile
}

public enum DiskAccess: Hashable, Sendable {
    case read
    /// Must exist.
    case write
    /// Must not exist.
    case create
}

/// An open file. Closed when the last reference goes.
public protocol DiskFile: AnyObject, Sendable {
    /// - Returns: Bytes taken; fewer than given is allowed and says nothing about the rest.
    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int
    /// Reads into `bytes` from index `start` on.
    ///
    /// - Returns: Bytes read; 0 at the end of the file.
    func read(into bytes: inout [UInt8], from start: Int, at position: Int) throws(DiskError) -> Int
    /// fdatasync.
    func synchronize() throws(DiskError)
    func truncate(to bytes: Int) throws(DiskError)
    /// Takes space on disk; the file grows to `bytes` and reads as zeros.
    func preallocate(_ bytes: Int) throws(DiskError)
    func size() throws(DiskError) -> Int
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
}
