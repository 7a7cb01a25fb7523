public import Transport

/// Sends the command line's requests to a running daemon, over HTTP on its Unix socket.
public struct AdminClient: Sendable {
    private let client: HTTPClient

    /// - Parameter socketPath: Path of the socket, as the daemon printed it.
    public init(socketPath: String) {
        client = HTTPClient(ServerAddress(scheme: .unix, host: socketPath, port: 0))
    }

    /// - Throws: ``ClientError/cannotConnect(address:reason:)`` if no daemon listens.
    public func send(
        _ method: HTTPRequest.Method, _ target: String, json: [UInt8] = []
    ) async throws(ClientError) -> HTTPClient.Answer {
        let fields: HTTPFields = json.isEmpty ? [:] : ["Content-Type": "application/json"]
        return try await client.send(method, target, fields: fields, body: json)
    }

    /// Returns the answer in parts as they arrive, for exports and progress.
    ///
    /// - Throws: ``ClientError/cannotConnect(address:reason:)`` if no daemon listens.
    public func stream(
        _ method: HTTPRequest.Method, _ target: String, json: [UInt8] = []
    ) async throws(ClientError) -> AsyncThrowingStream<HTTPClient.Part, any Error> {
        let fields: HTTPFields = json.isEmpty ? [:] : ["Content-Type": "application/json"]
        return try await client.stream(method, target, fields: fields, body: json)
    }
}
