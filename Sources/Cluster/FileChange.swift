import SegmentLog

/// A change of one file that all nodes of a cluster keep.
///
/// Names are those of the log's folder; ``ClusterFiles/registry`` is in the folder above.
public enum FileChange: Hashable, Sendable {
    /// The file was made, or emptied if it existed.
    case created(String)
    case wrote(String, position: Int, [UInt8])
    /// The file was cut, or grew by zeros.
    case resized(String, bytes: Int)
    /// The target, if it existed, is gone.
    case renamed(String, to: String)
    case removed(String)
    /// From here on the files that a copy has begun with change: see ``CopyPins``.
    case copyBegan(UInt64)
}

/// Names of files.
public enum ClusterFiles {
    public static let registry = "registry.sqlite"
    /// The node's own position in the stream, in the state folder.
    public static let position = "cluster"
    /// Files that a copy still needs and nothing else.
    static let pinnedPrefix = "copy-"

    /// Whether a file of the log's folder is each node's own.
    static func isOwn(_ name: String) -> Bool {
        name == SegmentFormat.lockName || name == SegmentFormat.reserveName
            || name.hasPrefix(pinnedPrefix)
    }

    /// Whether a name from another node may be used as a name in a folder.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100 && !name.hasPrefix(".") && !isOwn(name)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}

extension FileChange {
    /// Largest part of a file in one change: several fit one message.
    static let bytesMax = 256 << 10

    /// Whether the change takes, gives or changes a name.
    var isOfNames: Bool {
        switch self {
        case .created, .renamed, .removed: true
        case .wrote, .resized, .copyBegan: false
        }
    }

    /// Size of the encoded change, at most.
    var bytes: Int {
        switch self {
        case .wrote(let name, _, let bytes): 32 + name.utf8.count + bytes.count
        case .renamed(let name, let target): 32 + name.utf8.count + target.utf8.count
        case .created(let name), .resized(let name, _), .removed(let name): 32 + name.utf8.count
        case .copyBegan: 32
        }
    }

    func encode(to writer: inout ByteWriter) {
        switch self {
        case .created(let name):
            writer.add(UInt8(1))
            writer.add(name)
        case .wrote(let name, let position, let bytes):
            writer.add(UInt8(2))
            writer.add(name)
            writer.add(Int64(position))
            writer.add(bytes)
        case .resized(let name, let bytes):
            writer.add(UInt8(3))
            writer.add(name)
            writer.add(Int64(bytes))
        case .renamed(let name, let target):
            writer.add(UInt8(4))
            writer.add(name)
            writer.add(target)
        case .removed(let name):
            writer.add(UInt8(5))
            writer.add(name)
        case .copyBegan(let number):
            writer.add(UInt8(6))
            writer.add(number)
        }
    }

    init(from reader: inout ByteReader) throws(ClusterError) {
        let kind = try reader.number(UInt8.self)
        guard kind != 6 else {
            self = .copyBegan(try reader.number())
            return
        }
        let name = try Self.name(from: &reader)
        switch kind {
        case 1: self = .created(name)
        case 2:
            let position = try Self.size(from: &reader)
            self = .wrote(name, position: position, try reader.block())
        case 3: self = .resized(name, bytes: try Self.size(from: &reader))
        case 4: self = .renamed(name, to: try Self.name(from: &reader))
        case 5: self = .removed(name)
        default: throw .notUnderstood
        }
    }

    private static func name(from reader: inout ByteReader) throws(ClusterError) -> String {
        let name = try reader.text()
        guard ClusterFiles.isPlain(name) else { throw .notUnderstood }
        return name
    }

    private static func size(from reader: inout ByteReader) throws(ClusterError) -> Int {
        let size = Int(try reader.number(Int64.self))
        guard (0...(1 << 42)).contains(size) else { throw .notUnderstood }
        return size
    }
}
