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

    /// The same, with the header fields.
    func answer(
        _ method: Method, _ path: String, body: [String: any Sendable]? = nil
    ) async throws -> HTTPClient.Answer {
        let socket = try socketPath()
        var bytes: [UInt8] = []
        if let body { bytes = Array(try JSONSerialization.data(withJSONObject: body)) }
        let response: HTTPClient.Answer
        do {
            response = try await AdminClient(socketPath: socket)
                .send(method.value, path, json: bytes)
        } catch {
            throw CommandFailure(
                "no daemon answers at \(socket): start it with pulsecast serve, or name its socket"
                    + " with --admin-socket")
        }
        guard (200..<300).contains(response.status) else {
            let reason = (try? JSONDecoder().decode(Refusal.self, from: Data(response.body)))?
                .reason
            throw CommandFailure(
                reason ?? "the daemon answered \(response.status)",
                status: response.status == 400 ? ExitStatus.wrongUse : ExitStatus.failed)
        }
        return response
    }

    /// The first socket that exists, in the documented order.
    private func socketPath() throws -> String {
        if let adminSocket { return adminSocket }
        let candidates = StateFolder.adminSocketCandidates(
            stateFolder: stateFolder, environment: ProcessInfo.processInfo.environment)
        if let found = candidates.first(where: FileManager.default.fileExists(atPath:)) {
            return found
        }
        throw CommandFailure(
            "no daemon was found (looked for \(candidates.joined(separator: ", "))): start it with"
                + " pulsecast serve, or name its socket with --admin-socket")
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
