import ArgumentParser
import Client
import Foundation
import Runtime
import Transport

/// Address of the daemon for commands.
struct AdminOptions: ParsableArguments {
    @Option(
        help: .value("path", "The daemon's admin socket; found by itself otherwise."),
        completion: .file())
    var adminSocket: String?

    @Option(
        name: .customLong("state"),
        help: .value("folder", "The daemon's state folder, where its admin socket may lie."),
        completion: .directory)
    var stateFolder: String?

    @Flag(help: "Print facts as JSON.")
    var json = false

    /// Sends a request to the daemon and returns its answer.
    ///
    /// - Parameters:
    ///   - method: Method of the request.
    ///   - path: Path; the caller percent-encodes its segments.
    ///   - body: Members of a JSON object; `nil`: no body.
    /// - Returns: The JSON of a successful answer.
    /// - Throws: ``CommandFailure`` with the daemon's reason, or with advice on how to reach the
    ///   daemon.
    func ask(
        _ method: Method, _ path: String, body: [String: any Sendable]? = nil
    ) async throws -> Data {
        Data(try await answer(method, path, body: body).body)
    }

    /// Sends a request to the daemon and returns its answer with the header fields.
    func answer(
        _ method: Method, _ path: String, body: [String: any Sendable]? = nil
    ) async throws -> HTTPClient.Answer {
        var bytes: [UInt8] = []
        if let body { bytes = Array(try JSONSerialization.data(withJSONObject: body)) }
        return try await answer(method, path, bytes: bytes)
    }

    /// Sends a request with the bytes of a file, and returns the answer's body.
    func send(_ method: Method, _ path: String, bytes: [UInt8]) async throws -> Data {
        Data(try await answer(method, path, bytes: bytes).body)
    }

    private func answer(
        _ method: Method, _ path: String, bytes: [UInt8]
    ) async throws -> HTTPClient.Answer {
        let response = try await first { client throws(ClientError) in
            try await client.send(method.value, path, json: bytes)
        }
        guard (200..<300).contains(response.status) else {
            throw Self.refusal(response.status, response.body)
        }
        return response
    }

    /// What the daemon says in place of the answer.
    static func refusal(_ status: Int, _ body: [UInt8]) -> CommandFailure {
        let reason = (try? JSONDecoder().decode(Refusal.self, from: Data(body)))?.reason
        return CommandFailure(
            reason ?? "the daemon answered \(status)",
            status: status == 400 ? ExitStatus.wrongUse : ExitStatus.failed)
    }

    /// The first line of a file with a secret.
    static func firstLine(of path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read: check the path")
        }
        let text = String(decoding: data, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    /// The answer from the first socket at which a daemon listens, in the documented order. A
    /// socket left by a killed daemon is skipped.
    func first<Answer: Sendable>(
        _ ask: (AdminClient) async throws(ClientError) -> Answer
    ) async throws -> Answer {
        let candidates =
            adminSocket.map { [$0] }
            ?? StateFolder.adminSocketCandidates(
                stateFolder: stateFolder, environment: ProcessInfo.processInfo.environment)
        let sockets = candidates.filter(FileManager.default.fileExists(atPath:))
        for socket in sockets {
            do throws(ClientError) {
                return try await ask(AdminClient(socketPath: socket))
            } catch {
                guard case .cannotConnect = error else { throw noAnswer(at: socket) }
            }
        }
        if let first = sockets.first ?? adminSocket { throw noAnswer(at: first) }
        throw CommandFailure(
            "no daemon was found (looked for \(candidates.joined(separator: ", "))): start it with"
                + " pulsecast serve, or name its socket with --admin-socket")
    }

    private func noAnswer(at socket: String) -> CommandFailure {
        CommandFailure(
            "no daemon answers at \(socket): start it with pulsecast serve, or name its socket"
                + " with --admin-socket")
    }

    /// A request method, written as a string literal.
    struct Method: ExpressibleByStringLiteral {
        let value: HTTPRequest.Method

        init(stringLiteral text: String) {
            value = HTTPRequest.Method(rawValue: text) ?? .get
        }
    }

    private struct Refusal: Decodable {
        let reason: String
    }
}
