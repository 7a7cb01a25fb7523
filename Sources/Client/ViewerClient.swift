/// A viewer's side of a share: for `watch`, and for tests.
public struct ViewerClient: Sendable {
    /// One JSON object per element; read it once. The stream ends with
    /// ``ClientError/closed(code:)`` if the server gave a code.
    public let events: AsyncThrowingStream<String, any Error>
    private let stream: ClientStream
    /// Maximum number of unread events.
    private static let waitingMax = 65_536

    /// - Parameters:
    ///   - address: `ws` or `wss`, with the target `/v1/shares/ID/live` and its query.
    ///   - tls: Which server certificates to trust.
    /// - Returns: A connection whose first event is the snapshot.
    /// - Throws: ``ClientError/upgradeRefused(status:)`` with 404 for a share that does not exist.
    public static func connect(
        to address: ServerAddress, tls: ClientTLS = ClientTLS()
    ) async throws(ClientError) -> ViewerClient {
        guard address.scheme == .ws || address.scheme == .wss else {
            throw .badAddress("\(address)")
        }
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
        let consumer = ClientConsumer(
            makeTaker: {
                { event throws(ClientError) in
                    guard case .text(let bytes) = event,
                        case .dropped = continuation.yield(String(decoding: bytes, as: UTF8.self))
                    else { return }
                    throw .tooManyAnswers(max: Self.waitingMax)
                }
            }, finish: { continuation.finish(throwing: $0) })
        let stream = try await ClientStream.connect(to: address, tls: tls, consumer)
        return ViewerClient(events: events, stream: stream)
    }

    /// Sends a playback command: `{"seek":…}`, `{"pause":true}`, `{"live":true}`.
    public func say(_ json: String) async throws(ClientError) {
        try await stream.send(Array(json.utf8), binary: false)
    }

    public func close() async {
        await stream.close()
    }
}
