/// How far a node that stands by is.
public struct NodeReport: Hashable, Sendable {
    public enum Phase: UInt8, Sendable {
        case following = 1
        case copying = 2
    }

    public var node: String
    public var phase: Phase
    /// The last message of which all is applied.
    public var sequence: UInt64

    public init(node: String, phase: Phase, sequence: UInt64) {
        self.node = node
        self.phase = phase
        self.sequence = sequence
    }

    func encode(to writer: inout ByteWriter) {
        writer.add(node)
        writer.add(phase.rawValue)
        writer.add(sequence)
    }

    init(from reader: inout ByteReader) throws(ClusterError) {
        node = try reader.text()
        guard let phase = Phase(rawValue: try reader.number()) else { throw .notUnderstood }
        self.phase = phase
        sequence = try reader.number()
    }
}
