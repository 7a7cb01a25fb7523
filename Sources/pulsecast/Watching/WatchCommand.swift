import ArgumentParser
import Bytes
import Client
import Foundation
import SensorModel
import Transport

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows a share live in the terminal; without one, a line of JSON an event.",
        discussion: """
            Stop with Ctrl-C.

            Example:
              pulsecast watch http://127.0.0.1:7480/s/ID
            """)

    @Argument(help: .value("link", "The share's link, as share create printed it."))
    var link: String
    @OptionGroup var trust: TrustOptions
    @Flag(help: "A line of JSON an event, also on a terminal.") var json = false

    func run() async throws {
        let share = try Self.share(of: link)
        guard !json, isatty(STDOUT_FILENO) == 1 else {
            return try await follow(share, say: { Terminal.say(Self.line(of: $0)) }) { notice in
                if let notice { Terminal.complain(CleanText.clean(notice)) }
            }
        }
        let display = WatchDisplay()
        await display.open()
        do {
            await showHistory(of: share, on: display)
            try await follow(share, say: { await display.take($0) }) { notice in
                await display.say(notice)
            }
        } catch {
            // Restores the terminal first: text on the alternate screen would be lost.
            await display.close()
            throw error
        }
    }

    /// Follows the share until it is over; retries after every lost connection.
    ///
    /// - Parameters:
    ///   - share: Address of the share.
    ///   - say: Receives each event as JSON.
    ///   - tell: Receives the problem of the connection, and `nil` when it works again.
    /// - Throws: ``CommandFailure`` when the share is over.
    private func follow(
        _ share: (address: ServerAddress, path: String), say: (String) async -> Void,
        tell: (String?) async -> Void
    ) async throws {
        var cursor: String?
        // Short, because a daemon that restarts behind open sockets accepts the connection at once.
        let firstWaitSeconds = 0.1
        var waitSeconds = firstWaitSeconds
        while true {
            do {
                var address = share.address
                address.scheme = address.scheme == .https ? .wss : .ws
                address.target =
                    share.path + "/live" + (cursor.map { "?after=" + segment($0) } ?? "")
                let client = try await ViewerClient.connect(to: address, tls: trust.tls)
                await tell(nil)
                for try await event in client.events {
                    waitSeconds = firstWaitSeconds
                    cursor = Self.cursor(in: event) ?? cursor
                    await say(event)
                }
            } catch ClientError.upgradeRefused(let status) where status == 404 {
                throw CommandFailure("this share is unknown, revoked or expired")
            } catch ClientError.closed(let code) where code == 4010 || code == 4004 {
                throw CommandFailure("the share has ended")
            } catch let error as CommandFailure {
                throw error
            } catch {
                // A server that has sent events speaks what it is asked in.
                if cursor == nil, let error = error as? ClientError {
                    let better = await error.explained(at: share.address)
                    guard better.mayPass else { throw CommandFailure("\(better)") }
                } else if let error = error as? ClientError, !error.mayPass {
                    throw CommandFailure("\(error)")
                }
                await tell("connection lost (\(error)), trying again")
            }
            try await Task.sleep(for: .seconds(waitSeconds))
            waitSeconds = min(waitSeconds * 2, 30)
        }
    }

    /// Loads the earlier route and heart rates; without them the charts begin now.
    private func showHistory(
        of share: (address: ServerAddress, path: String), on display: WatchDisplay
    ) async {
        guard let tls = try? trust.tls else { return }
        let client = HTTPClient(share.address, tls: tls)
        var cursor: String?
        // A daemon never has that many pages, but another server might send them without end.
        for _ in 0..<Self.pagesMax {
            let query = cursor.map { "?after=" + segment($0) } ?? ""
            guard let page = try? await client.send(.get, share.path + "/history" + query),
                page.status == 200
            else { return }
            let next = await display.take(history: page.body)
            guard let next, next != cursor else { return }
            cursor = next
        }
    }

    private static let pagesMax = 1000

    /// The server's text as one line of a terminal. JSON stays valid: outside of strings the
    /// cleaning changes only white space.
    static func line(of event: String) -> String { CleanText.clean(event) }

    private static func cursor(in event: String) -> String? {
        let object = try? JSONSerialization.jsonObject(with: Data(event.utf8))
        return (object as? [String: Any])?["cursor"] as? String
    }

    /// The API path for `http://host/s/ID`, or `http://host/@NAME`.
    private static func share(
        of link: String
    ) throws -> (address: ServerAddress, path: String) {
        guard let url = URL(string: link), let host = url.host, let scheme = url.scheme,
            scheme == "http" || scheme == "https",
            let share = url.pathComponents.last,
            PublicName(marked: share) != nil || url.pathComponents.dropLast().last == "s"
        else {
            throw CommandFailure(
                "\(link) is not a share's link: it looks like http://host:7480/s/…",
                status: ExitStatus.wrongUse)
        }
        let isSecure = scheme == "https"
        let address = ServerAddress(
            scheme: isSecure ? .https : .http, host: host,
            port: url.port ?? (isSecure ? 443 : 80), target: "/")
        return (address, "/v1/shares/\(share)")
    }
}
