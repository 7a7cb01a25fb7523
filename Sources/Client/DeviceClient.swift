public import SensorModel
public import Transport
public import WireFormat

/// A device's side of a connection, TCP or WebSocket: for `push` and `simulate`.
///
///     let client = try await DeviceClient.connect(to: address)
///     try await client.send(hello)
///     try await client.send(frames)
///     for try await answer in client.answers { … }
public struct DeviceClient: Sendable {
    /// The daemon's answers, in order; read it once. The stream ends with the connection. It throws
    /// ``ClientError/closed(code:)`` if the server closed with another code than 1000.
    public let answers: AsyncThrowingStream<DeviceAnswer, any Error>
    private let stream: ClientStream
    private let format: DeviceFormat
    /// Maximum number of unread answers. The daemon coalesces its acks, so few are usual.
    private static let waitingMax = 65_536

    /// - Parameters:
    ///   - address: `tcp`, `tcps`, `ws` or `wss`.
    ///   - format: Encoding of the frames.
    ///   - bearerToken: Sent with a WebSocket's request.
    ///   - tls: Which server certificates to trust.
    /// - Returns: A connection that waits for the hello.
    /// - Throws: ``ClientError``
    public static func connect(
        to address: ServerAddress, format: DeviceFormat = .binary, bearerToken: String? = nil,
        tls: ClientTLS = ClientTLS()
    ) async throws(ClientError) -> DeviceClient {
        var fields = HTTPFields()
        fields["Sec-WebSocket-Protocol"] = "pulsecast.device.v1"
        if let bearerToken { fields["Authorization"] = "Bearer \(bearerToken)" }
        let (answers, continuation) = AsyncThrowingStream.makeStream(
            of: DeviceAnswer.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
        let consumer = ClientConsumer(
            makeTaker: {
                var splitter = AnswerSplitter(isBinary: format == .binary)
                return { event throws(ClientError) in
                    for answer in try splitter.answers(in: event) {
                        guard case .dropped = continuation.yield(answer) else { continue }
                        throw .tooManyAnswers(max: Self.waitingMax)
                    }
                }
            }, finish: { continuation.finish(throwing: $0) })
        let stream = try await ClientStream.connect(
            to: address, fields: fields, tls: tls, consumer)
        if !stream.isWebSocket, format == .binary {
            try await stream.send(BinaryFrame.preamble, binary: true)
        }
        return DeviceClient(answers: answers, stream: stream, format: format)
    }

    public func send(_ hello: Hello) async throws(ClientError) {
        let json = hello.json
        guard format == .binary else { return try await send(text: json) }
        var bytes: [UInt8] = []
        BinaryFrame.appendHeader(
            FrameHeader(kind: .hello, sequence: .none, deviceTime: Timestamp(microseconds: 0)),
            payloadBytes: json.count, to: &bytes)
        try await stream.send(bytes + json, binary: true)
    }

    /// Sends binary frames together; waits until the socket has taken them.
    public func send(_ frames: [Frame]) async throws(ClientError) {
        precondition(format == .binary, "text frames are sent as their text")
        var bytes: [UInt8] = []
        for frame in frames { BinaryFrame.encode(frame, to: &bytes) }
        try await stream.send(bytes, binary: true)
    }

    /// Sends one JSON object, or an array of them, without a line feed.
    public func send(text: [UInt8]) async throws(ClientError) {
        try await stream.send(
            stream.isWebSocket ? text : text + [UInt8(ascii: "\n")], binary: false)
    }

    public func close() async {
        await stream.close()
    }
}

extension Hello {
    /// The JSON object of a hello.
    var json: [UInt8] {
        var parts = ["\"type\":\"hello\"", "\"session\":\"\(session)\""]
        // Tokens, proofs and device names were checked when they were made: they need no escaping.
        if let token { parts.append("\"token\":\"\(token)\"") }
        if let proof { parts.append("\"proof\":\"\(proof)\"") }
        if let device { parts.append("\"device\":\"\(device)\"") }
        if !sentAtText.isEmpty { parts.append("\"sentAt\":\(sentAtText)") }
        if recorded { parts.append("\"recorded\":true") }
        return Array("{\(parts.joined(separator: ","))}".utf8)
    }
}
