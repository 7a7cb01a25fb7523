import Foundation
import Glibc
import LoopbackPort
import MQTT
import Testing

/// A broker of Debian's mosquitto on a loopback port of its own, and its clients.
struct MosquittoBroker {
    struct DidNotStart: Error {
        let complaint: String
    }

    static let path = "/usr/sbin/mosquitto"

    /// Whether the program can connect to a broker, and this machine has one.
    static var isThere: Bool {
        BrokerClient.isBuilt
            && [path, "/usr/bin/mosquitto_sub", "/usr/bin/mosquitto_pub"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: $0)
            }
    }

    let port: Int
    let folder: TemporaryFolder
    private let process: ChildProcess
    /// Arguments by which clients may enter.
    private let credentials: [String]

    /// Runs `body` with a broker that keeps nothing over its end.
    static func run<Result>(
        in folder: TemporaryFolder, port: Int = LoopbackPort.free(),
        settings: String = "allow_anonymous true",
        credentials: [String] = [], _ body: (MosquittoBroker) async throws -> Result
    ) async throws -> Result {
        // A service of the package may run on this machine; it is neither used nor disturbed.
        let configuration = try folder.write(
            "listener \(port) 127.0.0.1\nuser root\n\(settings)\n", to: "mosquitto-\(port).conf")
        let process = try start(path, ["-c", configuration], in: folder)
        defer { process.signal(SIGKILL) }
        let broker = MosquittoBroker(
            port: port, folder: folder, process: process, credentials: credentials)
        try await broker.waitUntilOpen()
        let result = try await body(broker)
        process.signal(SIGTERM)
        try await process.waitForEnd(withinSeconds: 10)
        return result
    }

    /// Starts a program that ends by SIGTERM or SIGALRM: what runs the tests may have blocked both.
    static func start(
        _ path: String, _ arguments: [String], in folder: TemporaryFolder
    ) throws -> ChildProcess {
        let script = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        return try ChildProcess(
            "/usr/bin/env", ["python3", "-c", script, path] + arguments, in: folder)
    }

    private func waitUntilOpen() async throws {
        for _ in 0..<500 {
            if let socket = try? PlainSocket(port: UInt16(port)) { return socket.close() }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw DidNotStart(complaint: process.complaint)
    }

    /// Settings of a daemon that connects to this broker.
    func settings(_ more: [String: String] = [:]) -> [String: String] {
        ["PULSECAST_MQTT_HOST": "127.0.0.1", "PULSECAST_MQTT_PORT": "\(port)"]
            .merging(more) { _, new in new }
    }

    // MARK: Clients

    func publish(_ text: String, to topic: String, _ options: [String] = []) async throws {
        let client = try Self.start(
            "/usr/bin/mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic, "-m", text] + credentials
                + options,
            in: folder)
        #expect(try await client.waitForEnd(withinSeconds: 30) == .exited(0), "\(client.complaint)")
    }

    /// - Returns: The messages that the broker keeps, by topic.
    func kept(_ filter: String = "#") async throws -> [String: String] {
        let client = try Self.start(
            "/usr/bin/mosquitto_sub",
            [
                "-h", "127.0.0.1", "-p", "\(port)", "-t", filter, "--retained-only", "-W", "1",
                "-F", "%t %p",
            ]
                + credentials, in: folder)
        try await client.waitForEnd(withinSeconds: 30)
        return client.output.split(separator: "\n").reduce(into: [:]) { kept, line in
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            kept[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
    }

    /// Reads a kept message until `condition` holds for it, for a bounded time.
    ///
    /// - Returns: Whether it held.
    func eventually(
        _ topic: String, _ condition: (String?) throws -> Bool
    ) async throws -> Bool {
        for _ in 0..<20 {
            if try condition(try await kept(topic)[topic]) { return true }
        }
        return false
    }

    /// Starts to write down everything that is published, with `1` for a kept message.
    func listen(to filter: String) async throws -> ChildProcess {
        let client = try Self.start(
            "/usr/bin/mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", filter, "-F", "%r %t %p"] + credentials,
            in: folder)
        try await Task.sleep(for: .milliseconds(500))
        return client
    }
}
