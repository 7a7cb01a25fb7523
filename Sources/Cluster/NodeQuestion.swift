/// What a node asks the leader.
enum NodeQuestion: Hashable, Sendable {
    /// Tells how far the node is.
    case report(NodeReport)
    /// Begins a copy of the leader's files; one that the same node has begun ends.
    case begin(node: String)
    /// Names and sizes, from an index on.
    case list(copy: UInt64, from: Int)
    /// Hashes of at most ``blocksHashed`` of a file's blocks.
    case hashes(copy: UInt64, name: String, from: Int)
    case block(copy: UInt64, name: String, index: Int)
    /// The number of changes that the leader's files have now.
    case changes(copy: UInt64)
    /// Whether the stream has so many changes.
    case kept(copy: UInt64, changes: UInt64)
    case end(copy: UInt64)

    /// Size of a block of a file; the last of a file is shorter.
    static let blockBytes = 512 << 10
    /// Blocks of one answer: 16 MiB are read and hashed in a tenth of a second.
    static let blocksHashed = 32

    /// - Parameter term: The term of the leader that is meant; another does not answer.
    /// - Returns: Bytes for ``decode(_:)``.
    func encoded(term: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(UInt8(StreamEntry.version))
        writer.add(term)
        switch self {
        case .report(let report):
            writer.add(UInt8(1))
            report.encode(to: &writer)
        case .begin(let node):
            writer.add(UInt8(2))
            writer.add(node)
        case .list(let copy, let index):
            writer.add(UInt8(3))
            writer.add(copy)
            writer.add(UInt32(index))
        case .hashes(let copy, let name, let index):
            writer.add(UInt8(4))
            writer.add(copy)
            writer.add(name)
            writer.add(UInt32(index))
        case .block(let copy, let name, let index):
            writer.add(UInt8(5))
            writer.add(copy)
            writer.add(name)
            writer.add(UInt32(index))
        case .changes(let copy):
            writer.add(UInt8(6))
            writer.add(copy)
        case .kept(let copy, let changes):
            writer.add(UInt8(7))
            writer.add(copy)
            writer.add(changes)
        case .end(let copy):
            writer.add(UInt8(8))
            writer.add(copy)
        }
        return writer.bytes
    }

    static func decode(
        _ bytes: [UInt8]
    ) throws(ClusterError) -> (term: UInt64, question: NodeQuestion) {
        var reader = ByteReader(bytes)
        let version = Int(try reader.number(UInt8.self))
        guard version == StreamEntry.version else { throw .newerVersion(version) }
        let term: UInt64 = try reader.number()
        let kind = try reader.number(UInt8.self)
        switch kind {
        case 1: return (term, .report(try NodeReport(from: &reader)))
        case 2: return (term, .begin(node: try reader.text()))
        default: return (term, try Self.ofCopy(kind, &reader))
        }
    }

    private static func ofCopy(
        _ kind: UInt8, _ reader: inout ByteReader
    ) throws(ClusterError) -> NodeQuestion {
        let copy: UInt64 = try reader.number()
        switch kind {
        case 3: return .list(copy: copy, from: Int(try reader.number(UInt32.self)))
        case 4, 5:
            let name = try reader.text()
            let index = Int(try reader.number(UInt32.self))
            return kind == 4
                ? .hashes(copy: copy, name: name, from: index)
                : .block(copy: copy, name: name, index: index)
        case 6: return .changes(copy: copy)
        case 7: return .kept(copy: copy, changes: try reader.number())
        case 8: return .end(copy: copy)
        default: throw .notUnderstood
        }
    }
}

/// What the leader answers.
enum NodeAnswer: Hashable, Sendable {
    case refused(String)
    /// The copy's number, and a sequence of the stream before its ``FileChange/copyBegan(_:)``.
    case began(copy: UInt64, sequence: UInt64)
    /// Empty: there are no more.
    case files([ListedFile])
    /// Bytes: of a block, or the hashes of a file's blocks, one after the other.
    case bytes([UInt8])
    case number(UInt64)
    /// Not yet.
    case later
    case done

    struct ListedFile: Hashable, Sendable {
        var name: String
        var bytes: Int
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .refused(let reason):
            writer.add(UInt8(1))
            writer.add(reason)
        case .began(let copy, let sequence):
            writer.add(UInt8(2))
            writer.add(copy)
            writer.add(sequence)
        case .files(let files):
            writer.add(UInt8(3))
            for file in files {
                writer.add(file.name)
                writer.add(Int64(file.bytes))
            }
        case .bytes(let bytes):
            writer.add(UInt8(4))
            writer.add(bytes)
        case .number(let number):
            writer.add(UInt8(5))
            writer.add(number)
        case .later: writer.add(UInt8(6))
        case .done: writer.add(UInt8(7))
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(ClusterError) {
        var reader = ByteReader(bytes)
        switch try reader.number(UInt8.self) {
        case 1: self = .refused(try reader.text())
        case 2: self = .began(copy: try reader.number(), sequence: try reader.number())
        case 3:
            var files: [ListedFile] = []
            while !reader.isAtEnd {
                let name = try reader.text()
                let size = Int(try reader.number(Int64.self))
                guard ClusterFiles.isPlain(name), size >= 0 else { throw .notUnderstood }
                files.append(ListedFile(name: name, bytes: size))
            }
            self = .files(files)
        case 4: self = .bytes(try reader.block())
        case 5: self = .number(try reader.number())
        case 6: self = .later
        case 7: self = .done
        default: throw .notUnderstood
        }
    }
}
