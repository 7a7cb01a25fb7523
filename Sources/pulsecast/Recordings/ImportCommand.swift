import API
import ArgumentParser
import Client
import Compression
import Foundation
import Transport

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings in runs that another program recorded, each of them once.",
        discussion: """
            Links never show what is imported; to play a recording to viewers, use push. A run \
            that overlaps a session of the device in time, with the same values, is there already.

            Example:
              pulsecast import *.fit --token-file token
            """)

    @Argument(
        help: .value(
            "recording", "FIT, GPX, TCX, CSV or NDJSON files, also compressed by gzip."),
        completion: .recordings)
    var recordings: [String]

    @Option(help: .value("address", "http://host:port; with TLS https://."))
    var to = "http://127.0.0.1:7480"

    @OptionGroup var trust: TrustOptions

    @Option(
        help: .value("path", "A file with the device's token; - reads it from standard input."),
        completion: .file())
    var tokenFile: String

    @Option(
        help: .value(
            "choice", "What to do with a run that is there already: refuse, replace or keep."),
        completion: .list(ImportAddress.duplicates))
    var duplicate = "refuse"

    @Flag(help: "Print facts as JSON, a line a file.")
    var json = false

    /// Maximum wait for a busy daemon, and maximum tries; beyond either the file counts as refused.
    private static let (busySecondsMax, triesMax) = (60, 15)
    /// The daemon reads a file of hours within seconds.
    private static let silenceSecondsMax = 60

    func run() async throws {
        guard ImportAddress.duplicates.contains(duplicate) else {
            throw CommandFailure(
                "\(duplicate) is no choice: use "
                    + ImportAddress.duplicates.joined(separator: ", "),
                status: ExitStatus.wrongUse)
        }
        let server = try address()
        let client = HTTPClient(
            server, tls: try trust.tls, silenceSecondsMax: Self.silenceSecondsMax)
        let token = try Destination.token(inFile: tokenFile)
        var refused = 0
        for path in recordings {
            guard let failure = try await refusal(of: path, token: token, over: client) else {
                continue
            }
            refused += 1
            Terminal.complain("\(failure)")
        }
        guard refused > 0 else { return }
        throw CommandFailure("\(refused) of \(recordings.count) files were not taken")
    }

    /// - Returns: The reason for which the file was refused; `nil`: it was imported.
    private func refusal(
        of path: String, token: String, over client: HTTPClient
    ) async throws -> CommandFailure? {
        do {
            try await send(path, token: token, over: client)
            return nil
        } catch let failure as CommandFailure {
            return failure
        }
    }

    private func address() throws -> ServerAddress {
        do {
            let server = try ServerAddress(to)
            guard server.scheme == .http || server.scheme == .https else {
                throw ClientError.badAddress(to)
            }
            return server
        } catch {
            throw CommandFailure("\(error)", status: ExitStatus.wrongUse)
        }
    }

    private func send(_ path: String, token: String, over client: HTTPClient) async throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read: check its name and permissions")
        }
        let bytes = Array(data)
        let target = ImportAddress.target(
            name: URL(fileURLWithPath: path).lastPathComponent, duplicate: duplicate)
        let body = Gzip.recognizes(bytes) ? bytes : Gzip.compress(bytes)
        let answer = try await answer(to: body, at: target, token: token, over: client)
        guard answer.status == 201 else {
            let failure = try? JSONDecoder().decode(Failure.self, from: Data(answer.body))
            // A proxy with TLS answers a request without it by a page of its own.
            if failure == nil, answer.status == 400 {
                let refused = ClientError.upgradeRefused(status: 400)
                let better = await refused.explained(at: try address())
                if better != refused { throw CommandFailure("\(better)") }
            }
            throw CommandFailure("\(path): \(failure?.reason ?? "status \(answer.status)")")
        }
        if json { return Terminal.say(String(decoding: answer.body, as: UTF8.self)) }
        let taken = try JSONDecoder().decode(Taken.self, from: Data(answer.body))
        for note in taken.notes { Terminal.complain("\(path): \(note)") }
        let instead =
            taken.replaced.isEmpty ? "" : ", instead of \(taken.replaced.joined(separator: ", "))"
        Terminal.say("\(path): \(taken.frames) frames, session \(taken.session)\(instead)")
    }

    /// Sends the file, and retries while the daemon is briefly busy.
    private func answer(
        to body: [UInt8], at target: String, token: String, over client: HTTPClient
    ) async throws -> HTTPClient.Answer {
        let fields: HTTPFields = [
            "Authorization": "Bearer \(token)", "Content-Type": "application/octet-stream",
        ]
        var tries = 1
        while true {
            do {
                let answer = try await client.send(.post, target, fields: fields, body: body)
                guard let seconds = answer.fields["retry-after"].flatMap(Int.init),
                    seconds <= Self.busySecondsMax, tries < Self.triesMax
                else { return answer }
                try await Task.sleep(for: .seconds(seconds))
                tries += 1
            } catch let error as ClientError {
                let error = await error.explained(at: try address())
                throw CommandFailure(
                    "\(error)" + (error.mayPass ? ": is the daemon running there?" : ""))
            }
        }
    }

    private struct Failure: Decodable {
        let reason: String
    }

    private struct Taken: Decodable {
        let session: String
        let frames: Int
        let notes: [String]
        let replaced: [String]
    }
}
