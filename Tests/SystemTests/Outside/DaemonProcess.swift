import Client
import Foundation
import Glibc
import Testing
import Transport

/// `pulsecast serve` on a state folder, and the commands that talk to it.
struct DaemonProcess {
    let process: ChildProcess
    let folder: TemporaryFolder
    /// Addresses by name, as printed by `--print-addresses`.
    let addresses: [String: String]

    struct DidNotStart: Error {
        let complaint: String
    }

    /// Runs `body` with a daemon, which is killed at the end unless `body` has stopped it.
    static func run<Result>(
        in folder: TemporaryFolder, environment: [String: String] = [:],
        _ body: (DaemonProcess) async throws -> Result
    ) async throws -> Result {
        let process = try launch(in: folder, environment: environment)
        defer { process.signal(SIGKILL) }
        let daemon = DaemonProcess(
            process: process, folder: folder, addresses: try await addresses(of: process))
        let result = try await body(daemon)
        process.signal(SIGKILL)
        try await process.waitForEnd()
        return result
    }

    /// Starts the daemon and does not wait for it.
    static func launch(
        in folder: TemporaryFolder, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            Program.path,
            [
                "serve", "--state", state(in: folder), "--device-port", "0", "--http-port", "0",
                "--operations-port", "0", "--print-addresses",
            ], environment: environment, in: folder)
    }

    static func state(in folder: TemporaryFolder) -> String { folder.file("state") }

    static func addresses(of process: ChildProcess) async throws -> [String: String] {
        for _ in 0..<6000 {
            if process.output.contains("\n") {
                return try JSONDecoder().decode(
                    [String: String].self, from: Data(process.output.utf8))
            }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw DidNotStart(complaint: process.complaint)
    }

    /// Suspends the daemon; the kernel keeps the bytes sent to it meanwhile.
    func standStill(for duration: Duration) async throws {
        process.signal(SIGSTOP)
        defer { process.signal(SIGCONT) }
        try await Task.sleep(for: duration)
    }

    // MARK: - Commands

    /// Runs a command on the daemon's state folder.
    func command(_ arguments: [String]) async throws -> Program.Outcome {
        try await Self.command(arguments, in: folder)
    }

    static func command(
        _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> Program.Outcome {
        try await Program.run(
            arguments + ["--state", state(in: folder)], in: folder, withinSeconds: 600)
    }

    /// - Returns: The device's token.
    func addDevice(_ name: String) async throws -> String {
        let added = try await command(["device", "add", name, "--json"])
        return try #require(added.object["token"] as? String, "\(added.complaint)")
    }

    /// - Returns: The share's secret ID.
    func addShare(of device: String) async throws -> String {
        let made = try await command(["share", "create", "--device", device, "--json"])
        return try #require(made.object["id"] as? String, "\(made.complaint)")
    }

    /// - Returns: The value of a `/metrics` line; `name` includes the labels.
    func metric(_ name: String) async throws -> Double? {
        let line = try await metricsPage().split(separator: "\n").first {
            $0.hasPrefix(name + " ")
        }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    func metricsPage() async throws -> String {
        let answer = try await HTTPClient(address("operations", .http)).send(.get, "/metrics")
        return String(decoding: answer.body, as: UTF8.self)
    }

    // MARK: - Listeners

    func address(
        _ door: String, _ scheme: ServerAddress.Scheme, _ target: String = "/"
    ) throws -> ServerAddress {
        let text = try #require(addresses[door])
        let port = try #require(text.split(separator: ":").last.flatMap { Int($0) })
        return ServerAddress(scheme: scheme, host: "127.0.0.1", port: port, target: target)
    }

    func port(of door: String) throws -> UInt16 { UInt16(try address(door, .tcp).port) }

    /// Opens a plain connection to a listener.
    func connect(_ door: String = "device") throws -> PlainSocket {
        try PlainSocket(port: try port(of: door))
    }

    /// - Returns: The exit status, once everything is drained.
    func terminate() async throws -> ChildProcess.End {
        process.signal(SIGTERM)
        return try await process.waitForEnd(withinSeconds: 60)
    }
}
