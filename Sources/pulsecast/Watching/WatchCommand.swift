import ArgumentParser
import Foundation
import Transport

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows a share live in the terminal; without one, a line of JSON an event.")

    @Argument(help: "The share's link, as share create printed it.") var link: String
    @Flag(help: "A line of JSON an event, also on a terminal.") var json = false

    func run() async throws {
        let address = try Self.liveAddress(of: link)
        var cursor: String?
        var waitSeconds = 0.5
        let draws = !json && isatty(STDOUT_FILENO) == 1
        var screen = WatchScreen()
        while true {
            do {
                var target = address
                if let cursor { target.target += "?after=\(cursor)" }
                let client = try await ViewerClient.connect(to: target)
                for try await event in client.events {
                    waitSeconds = 0.5
                    let object =
                        try JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any]
                    cursor = object?["cursor"] as? String ?? cursor
                    if draws, let object {
                        screen.take(object)
                        Terminal.write(screen.text, to: .standardOutput)
                    } else {
                        Terminal.say(event)
                    }
                }
            } catch ClientError.upgradeRefused(let status) where status == 404 {
                throw CommandFailure("this share is unknown, revoked or expired")
            } catch ClientError.closed(let code) where code == 4010 || code == 4004 {
                throw CommandFailure("the share has ended")
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                Terminal.complain("connection lost (\(error)), trying again")
            }
            try await Task.sleep(for: .seconds(waitSeconds))
            waitSeconds = min(waitSeconds * 2, 30)
        }
    }

    /// The WebSocket behind `http://host/s/ID`.
    private static func liveAddress(of link: String) throws -> ServerAddress {
        guard let url = URL(string: link), let host = url.host, let scheme = url.scheme,
            scheme == "http" || scheme == "https",
            let share = url.pathComponents.last, url.pathComponents.dropLast().last == "s"
        else {
            throw CommandFailure(
                "\(link) is not a share's link: it looks like http://host:7480/s/…",
                status: ExitStatus.wrongUse)
        }
        let isSecure = scheme == "https"
        return ServerAddress(
            scheme: isSecure ? .wss : .ws, host: host, port: url.port ?? (isSecure ? 443 : 80),
            target: "/v1/shares/\(share)/live")
    }
}
