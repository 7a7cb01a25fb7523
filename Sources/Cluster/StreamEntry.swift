/// A message in a cluster's stream.
///
/// All messages after a claim come from the node that claimed, up to the next claim: each is
/// appended only directly after the one before it (``ClusterStream/append(_:after:name:)``).
public struct StreamEntry: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// The node leads from here on. If its files may differ from what the stream gave before,
        /// the others compare theirs with its own.
        case claimed(isToBeCompared: Bool)
        /// Changes, in order. If `isContinued`, none of them counts without those of the next
        /// message.
        case changed([FileChange], isContinued: Bool)
        /// The leader is there.
        case beat
        /// The leader has ended with all its changes in the stream: another node may claim at once.
        case resigned
    }

    static let version = 1

    /// Node that leads.
    public var node: String
    /// Sequence of its claim; 0 in the claim itself.
    public var term: UInt64
    public var content: Content

    public init(node: String, term: UInt64, _ content: Content) {
        self.node = node
        self.term = term
        self.content = content
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.add(UInt8(Self.version))
        writer.add(node)
        writer.add(term)
        switch content {
        case .claimed(let isToBeCompared):
            writer.add(UInt8(1))
            writer.add(UInt8(isToBeCompared ? 1 : 0))
        case .changed(let changes, let isContinued):
            writer.add(UInt8(2))
            writer.add(UInt8(isContinued ? 1 : 0))
            for change in changes { change.encode(to: &writer) }
        case .beat: writer.add(UInt8(3))
        case .resigned: writer.add(UInt8(4))
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(ClusterError) {
        var reader = ByteReader(bytes)
        let version = Int(try reader.number(UInt8.self))
        guard version == Self.version else { throw .newerVersion(version) }
        node = try reader.text()
        term = try reader.number()
        switch try reader.number(UInt8.self) {
        case 1: content = .claimed(isToBeCompared: try reader.number(UInt8.self) != 0)
        case 2:
            let isContinued = try reader.number(UInt8.self) != 0
            var changes: [FileChange] = []
            while !reader.isAtEnd { changes.append(try FileChange(from: &reader)) }
            content = .changed(changes, isContinued: isContinued)
        case 3: content = .beat
        case 4: content = .resigned
        default: throw .notUnderstood
        }
    }
}
