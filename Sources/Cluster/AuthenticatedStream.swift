import Bytes

/// A stream whose messages, questions and answers are signed with the installation's key.
///
/// A client of the stream's servers without the key can neither lead, nor change a node's files,
/// nor ask a leader for its own. A node with another key is refused in the same way.
public struct AuthenticatedStream: ClusterStream {
    private static let signatureBytes = 32
    /// First byte of what is signed: a signature of one kind is none of another.
    private enum Kind: UInt8 {
        case message = 1
        case question = 2
        case answer = 3
    }

    private let stream: any ClusterStream
    private let sign: @Sendable ([UInt8]) -> [UInt8]

    /// - Parameters:
    ///   - stream: The stream.
    ///   - sign: A keyed hash of 32 bytes.
    public init(_ stream: any ClusterStream, sign: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.stream = stream
        self.sign = sign
    }

    public func state() throws(ClusterStreamError) -> StreamState { try stream.state() }

    public func append(
        _ message: [UInt8], after last: UInt64, name: String
    ) throws(ClusterStreamError) -> UInt64 {
        let signature = signature(.message, Self.bytes(of: last + 1), message)
        return try stream.append(signature + message, after: last, name: name)
    }

    public func read(
        from sequence: UInt64, waitingMilliseconds milliseconds: Int
    ) throws(ClusterStreamError) -> [StreamMessage] {
        let messages = try stream.read(from: sequence, waitingMilliseconds: milliseconds)
        var opened: [StreamMessage] = []
        for message in messages {
            let bytes = try open(message.bytes, .message, Self.bytes(of: message.sequence))
            opened.append(StreamMessage(sequence: message.sequence, bytes: bytes))
        }
        return opened
    }

    public func remove(below sequence: UInt64) throws(ClusterStreamError) {
        try stream.remove(below: sequence)
    }

    public func ask(node: String, _ question: [UInt8]) throws(ClusterStreamError) -> [UInt8] {
        let asked = signature(.question, Array(node.utf8), question)
        let answer = try stream.ask(node: node, asked + question)
        return try open(answer, .answer, asked)
    }

    public func answer(
        as node: String, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws(ClusterStreamError) {
        try stream.answer(as: node) { bytes in
            // An empty answer is signed by nobody: the asking node says what is wrong.
            guard let question = try? open(bytes, .question, Array(node.utf8)) else { return [] }
            let answer = answer(question)
            return signature(.answer, Array(bytes.prefix(Self.signatureBytes)), answer) + answer
        }
    }

    public func stopAnswering() { stream.stopAnswering() }

    private func signature(_ kind: Kind, _ place: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        sign([kind.rawValue, UInt8(place.count)] + place + bytes)
    }

    private func open(
        _ bytes: [UInt8], _ kind: Kind, _ place: [UInt8]
    ) throws(ClusterStreamError) -> [UInt8] {
        let content = Array(bytes.dropFirst(Self.signatureBytes))
        let expected = signature(kind, place, content)
        // A remote node must not find out how many bytes are right.
        guard ConstantTime.areEqual(Array(bytes.prefix(Self.signatureBytes)), expected) else {
            throw .notAuthentic
        }
        return content
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(number)
        return bytes
    }
}
