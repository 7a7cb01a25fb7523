import Glibc
import SensorModel

/// A folder of the file system.
public struct PosixDisk: Disk {
    private let path: String

    /// - Parameter path: Path of an existing folder.
    public init(path: String) {
        self.path = path
    }

    public func list() throws(DiskError) -> [String] {
        guard let folder = unsafe opendir(path) else { throw failure(.list, "") }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    public func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        let flags =
            switch access {
            case .read: O_RDONLY
            case .write: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        return try open(name, flags: flags)
    }

    public func rename(_ name: String, to target: String) throws(DiskError) {
        guard unsafe Glibc.rename(full(name), full(target)) == 0 else {
            throw failure(.rename, name)
        }
    }

    public func remove(_ name: String) throws(DiskError) {
        guard unsafe unlink(full(name)) == 0 else { throw failure(.remove, name) }
    }

    public func synchronizeNames() throws(DiskError) {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.synchronizeNames, "") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(.synchronizeNames, "") }
    }

    /// Locks the folder, and a file in it if the file exists or can be created.
    ///
    /// A full or read-only disk takes no new file.
    public func lock(_ name: String) throws(DiskError) -> any DiskFile {
        let folder = try open(".", flags: O_RDONLY | O_DIRECTORY)
        let isLocked = flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0
        if !isLocked, errno == EWOULDBLOCK { throw failure(.lock, name) }
        do throws(DiskError) {
            return try lock(name, flags: O_RDWR | O_CREAT, with: folder)
        } catch {
            guard isLocked, error.call == .open, error.trouble.isRefusal else { throw error }
        }
        do throws(DiskError) {
            return try lock(name, flags: O_RDONLY, with: folder)
        } catch {
            guard error.call == .open, error.number == ENOENT else { throw error }
            return folder
        }
    }

    private func lock(
        _ name: String, flags: Int32, with folder: PosixFile
    ) throws(DiskError) -> PosixFile {
        let file = try open(name, flags: flags, with: folder)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure(.lock, name) }
        return file
    }

    private func open(
        _ name: String, flags: Int32, with companion: PosixFile? = nil
    ) throws(DiskError) -> PosixFile {
        // Personal data: no permissions for group and others.
        let descriptor = unsafe Glibc.open(full(name), flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(.open, name) }
        return PosixFile(name: name, descriptor: descriptor, with: companion)
    }

    private func full(_ name: String) -> String { path + "/" + name }

    private func failure(_ call: DiskError.Call, _ name: String) -> DiskError {
        DiskError(call: call, name: name, number: errno)
    }
}

/// An open file of the file system.
final class PosixFile: DiskFile {
    private let name: String
    let descriptor: Int32
    /// A file that is closed together with this one.
    private let companion: PosixFile?

    init(name: String, descriptor: Int32, with companion: PosixFile? = nil) {
        self.name = name
        self.descriptor = descriptor
        self.companion = companion
    }

    // The descriptor lives exactly as long as the object, so that no thread can use a number that
    // the system has given to another file.
    deinit { Glibc.close(descriptor) }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        while true {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, position)
            }
            if written >= 0 { return written }
            // Interrupted before any byte was written: nothing has failed.
            guard errno == EINTR else { throw failure(.write) }
        }
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { bytes in
                let rest = unsafe bytes[start...]
                return unsafe pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count, position)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure(.read) }
        }
    }

    func synchronize() throws(DiskError) {
        guard fdatasync(descriptor) == 0 else { throw failure(.synchronize) }
    }

    func truncate(to bytes: Int) throws(DiskError) {
        guard ftruncate(descriptor, bytes) == 0 else { throw failure(.truncate) }
    }

    func preallocate(_ bytes: Int) throws(DiskError) {
        // Returns the error number. If a file system does not support it, the C library writes
        // zeros instead.
        let result = posix_fallocate(descriptor, 0, bytes)
        guard result == 0 else {
            throw DiskError(call: .preallocate, name: name, number: result)
        }
    }

    func size() throws(DiskError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(.size) }
        return Int(status.st_size)
    }

    func expectScatteredReads() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM) }

    private func failure(_ call: DiskError.Call) -> DiskError {
        DiskError(call: call, name: name, number: errno)
    }
}
