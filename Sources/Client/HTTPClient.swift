import NIOCore
import NIOHTTP1
import NIOPosix
public import Transport

/// A small HTTP client with one connection per request, for the command line and for tests.
public struct HTTPClient: Sendable {
    public struct Answer: Sendable {
        public var status: Int
        public var fields: HTTPFields
        public var body: [UInt8]
    }

    private let address: ServerAddress
    private let tls: ClientTLS
    private let bodyBytesMax: Int
    private let silenceSecondsMax: Int?
    private let reach: ClientReach

    /// - Parameters:
    ///   - address: `http`, `https` or `unix`; the target in it is ignored.
    ///   - tls: Which server certificates to trust.
    ///   - bodyBytesMax: A longer answer is an error.
    ///   - silenceSecondsMax: Seconds without a byte in either direction after which a request
    ///     fails; `nil`: it waits.
    ///   - reach: Where the client may connect to.
    public init(
        _ address: ServerAddress, tls: ClientTLS = ClientTLS(), bodyBytesMax: Int = 1 << 28,
        silenceSecondsMax: Int? = nil, reach: ClientReach = .anywhere
    ) {
        self.address = address
        self.tls = tls
        self.bodyBytesMax = bodyBytesMax
        self.silenceSecondsMax = silenceSecondsMax
        self.reach = reach
    }

    /// - Throws: ``ClientError``; a status is not an error.
    public func send(
        _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) async throws(ClientError) -> Answer {
        let parts = try await stream(
            method, target, fields: fields, body: body, bodyBytesMax: bodyBytesMax)
        let (answer, failure) = await answer(from: parts)
        if let failure { throw failure }
        return answer
    }

    /// Collects an answer.
    ///
    /// - Returns: What came of it, and why no more did; `nil`: it is whole.
    private func answer(
        from parts: AsyncThrowingStream<Part, any Error>
    ) async -> (answer: Answer, failure: ClientError?) {
        var answer = Answer(status: 0, fields: HTTPFields(), body: [])
        do {
            for try await part in parts {
                switch part {
                case .head(let status, let fields):
                    answer.status = status
                    answer.fields = fields
                case .bytes(let bytes): answer.body += bytes
                }
            }
        } catch let error as ClientError {
            return (answer, error)
        } catch { return (answer, .connectionLost) }
        return (answer, nil)
    }

    /// Sends a long body part by part. Each part is asked for once the one before has left, and
    /// the connection is cut if the task is cancelled.
    ///
    /// - Parameters:
    ///   - method: Method of the request.
    ///   - target: Path and query.
    ///   - fields: Header fields.
    ///   - byteCount: Bytes of all parts.
    ///   - nextPart: Returns the next part; `nil` after the last.
    /// - Returns: The answer, which may come before the last part was asked for; as much of its body
    ///   as came.
    /// - Throws: ``ClientError``, errors of `nextPart`
    public func upload(
        _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields, byteCount: Int,
        nextPart: () async throws -> [UInt8]?
    ) async throws -> Answer {
        let (channel, parts) = try await open(
            method, target, fields: fields, byteCount: byteCount, bodyBytesMax: bodyBytesMax)
        defer { channel.close(promise: nil) }
        return try await withTaskCancellationHandler {
            var isWhole = true
            while isWhole, let part = try await nextPart() {
                let body = HTTPClientRequestPart.body(
                    .byteBuffer(channel.allocator.buffer(bytes: part)))
                // A server may answer, and hang up, before it has read all.
                do { try await channel.writeAndFlush(body).get() } catch { isWhole = false }
            }
            if isWhole { channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil) }
            let (answer, failure) = await answer(from: parts)
            // The status says what became of the upload, whatever became of the rest.
            guard answer.status > 0 else { throw failure ?? ClientError.connectionLost }
            return answer
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    public enum Part: Sendable {
        case head(status: Int, fields: HTTPFields)
        case bytes([UInt8])
    }

    /// Returns the answer in parts as they arrive, for downloads and event streams.
    ///
    /// - Throws: ``ClientError/cannotConnect(address:reason:)``
    public func stream(
        _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) async throws(ClientError) -> AsyncThrowingStream<Part, any Error> {
        try await stream(method, target, fields: fields, body: body, bodyBytesMax: .max)
    }

    private func stream(
        _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields, body: [UInt8],
        bodyBytesMax: Int
    ) async throws(ClientError) -> AsyncThrowingStream<Part, any Error> {
        let (channel, parts) = try await open(
            method, target, fields: fields, byteCount: body.count, bodyBytesMax: bodyBytesMax)
        channel.write(
            HTTPClientRequestPart.body(.byteBuffer(channel.allocator.buffer(bytes: body))),
            promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return parts
    }

    /// Connects, and writes the head of a request. A longer answer than `bodyBytesMax` is cut off:
    /// its parts wait in memory until they are taken.
    private func open(
        _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields, byteCount: Int,
        bodyBytesMax: Int
    ) async throws(ClientError) -> (
        channel: any Channel, parts: AsyncThrowingStream<Part, any Error>
    ) {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: Part.self)
        let channel = try await ClientBootstrap.connect(
            to: address, tls: tls, reach: reach
        ) { [silenceSecondsMax] channel in
            try Self.addHandlers(
                to: channel.pipeline.syncOperations, continuation, bodyBytesMax: bodyBytesMax,
                silenceSecondsMax: silenceSecondsMax)
            return channel
        }
        continuation.onTermination = { _ in channel.close(promise: nil) }
        let host = address.scheme == .unix ? "localhost" : address.authority
        var headers = HTTPHeaders([
            ("Host", host), ("Connection", "close"), ("Content-Length", "\(byteCount)"),
        ])
        for field in fields.fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: .RAW(value: method.rawValue), uri: target, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        return (channel, parts)
    }

    static func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ parts: AsyncThrowingStream<Part, any Error>.Continuation, bodyBytesMax: Int = .max,
        silenceSecondsMax: Int? = nil
    ) throws {
        if let seconds = silenceSecondsMax {
            try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(Int64(seconds))))
        }
        let head = HeadLimit()
        try pipeline.addHandler(head)
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandler(
            AnswerReader(
                parts, head, bodyBytesMax: bodyBytesMax, silenceSecondsMax: silenceSecondsMax ?? 0))
    }
}
