import Glibc
import SegmentLog
import Synchronization

/// A folder in memory that never fails.
final class MemoryDisk: Disk {
    private let files: Mutex<[String: MemoryFile]>

    init(_ files: [String: [UInt8]] = [:]) {
        self.files = Mutex(files.mapValues { MemoryFile($0) })
    }

    func content(of name: String) -> [UInt8] { files.withLock { $0[name]?.content ?? [] } }

    func list() throws(DiskError) -> [String] { files.withLock { $0.keys.sorted() } }

    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        let found = files.withLock { files -> MemoryFile? in
            if access == .create {
                guard files[name] == nil else { return nil }
                files[name] = MemoryFile([])
            }
            return files[name]
        }
        guard let found else {
            throw DiskError(call: .open, name: name, number: access == .create ? EEXIST : ENOENT)
        }
        return found
    }

    func rename(_ name: String, to target: String) throws(DiskError) {
        files.withLock { files in
            files[target] = files.removeValue(forKey: name)
        }
    }

    func remove(_ name: String) throws(DiskError) {
        let removed = files.withLock { $0.removeValue(forKey: name) }
        guard removed != nil else { throw DiskError(call: .remove, name: name, number: ENOENT) }
    }

    func synchronizeNames() throws(DiskError) {}

    func lock(_ name: String) throws(DiskError) -> any DiskFile { MemoryFile([]) }
}

final class MemoryFile: DiskFile {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes)
    }

    var content: [UInt8] { bytes.withLock { $0 } }

    func write(_ written: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        var content = content
        let end = position + written.count
        if content.count < end {
            content.append(contentsOf: repeatElement(0, count: end - content.count))
        }
        for index in written.indices { content[position + index] = written[index] }
        bytes.withLock { [content] in $0 = content }
        return written.count
    }

    func read(
        into buffer: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        let content = content
        let count = max(0, min(buffer.count - start, content.count - position))
        for index in 0..<count { buffer[start + index] = content[position + index] }
        return count
    }

    func synchronize() throws(DiskError) {}

    func truncate(to size: Int) throws(DiskError) {
        bytes.withLock { bytes in
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }

    func preallocate(_ size: Int) throws(DiskError) {
        if size > content.count { try truncate(to: size) }
    }

    func size() throws(DiskError) -> Int { content.count }
}
