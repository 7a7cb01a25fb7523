import Cluster
import Foundation
import Glibc
import LoopbackPort
import NATS
import Synchronization

/// A nats-server on loopback ports of its own, with JetStream in a folder that outlives it.
final class NATSServer {
    struct Failed: Error {
        let reason: String
    }

    /// The program of `tools/setup`, else one in PATH of version 2.11 or newer.
    static let path: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let own = root.appending(path: ".build-judges/bin/nats-server").path
        if FileManager.default.isExecutableFile(atPath: own) { return own }
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { $0 + "/nats-server" }.first {
            guard FileManager.default.isExecutableFile(atPath: $0),
                let text = try? run($0, ["--version"]),
                let version = text.firstMatch(of: /v(\d+)\.(\d+)\./),
                let major = Int(version.1), let minor = Int(version.2)
            else { return false }
            return (major, minor) >= (2, 11)
        }
    }()

    /// Whether the program can use NATS, and this machine has a server.
    static var isThere: Bool { NATSStream.isBuilt && path != nil }

    static let needs =
        "needs a build with --traits NATS, and nats-server 2.11 or newer: tools/setup --for test"

    let name: String
    let port: Int
    private let monitorPort: Int
    private let configuration: String
    private var process: Process?

    var url: String { "nats://127.0.0.1:\(port)" }

    init(_ name: String, in folder: URL, more: String = "") throws {
        self.name = name
        port = LoopbackPort.free()
        monitorPort = LoopbackPort.free()
        let text = """
            server_name: \(name)
            listen: "127.0.0.1:\(port)"
            http: "127.0.0.1:\(monitorPort)"
            jetstream { store_dir: "\(folder.path)/\(name)", sync_interval: always }
            \(more)
            """
        configuration = folder.appending(path: "\(name).conf").path
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    deinit { kill() }

    func start() throws {
        guard let path = Self.path else { throw Failed(reason: Self.needs) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-c", configuration, "-l", configuration + ".log"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        for _ in 0..<500 {
            if !process.isRunning { break }
            if (try? monitor("healthz?js-enabled-only=true"))?.contains("ok") == true { return }
            usleep(10_000)
        }
        let log = try? String(contentsOfFile: configuration + ".log", encoding: .utf8)
        throw Failed(reason: "\(name) does not start: \(log ?? "no log")")
    }

    /// Ends the server without a chance to write anything.
    func kill() {
        guard let process else { return }
        signal(SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    func signal(_ signal: Int32) {
        guard let process, process.isRunning else { return }
        Glibc.kill(process.processIdentifier, signal)
    }

    /// - Returns: Name of the server that leads the stream, as this one knows it.
    func leader(of stream: String) throws -> String? {
        struct Report: Decodable {
            struct Account: Decodable { let stream_detail: [Stream]? }
            struct Stream: Decodable {
                let name: String
                let cluster: Group?
            }
            struct Group: Decodable { let leader: String? }

            let account_details: [Account]?
        }
        let text = try monitor("jsz?streams=true")
        let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        return report.account_details?.lazy.compactMap(\.stream_detail).joined()
            .first { $0.name == stream }?.cluster?.leader
    }

    private func monitor(_ page: String) throws -> String {
        try Self.run(
            "/usr/bin/env",
            ["curl", "-s", "--max-time", "2", "http://127.0.0.1:\(monitorPort)/\(page)"])
    }

    // MARK: Several

    /// - Returns: Three servers that know each other, running.
    static func cluster(in folder: URL) throws -> [NATSServer] {
        let ports = (0..<3).map { _ in LoopbackPort.free() }
        let routes = ports.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        let servers = try ports.enumerated().map { index, port in
            try NATSServer(
                "s\(index)", in: folder,
                more: "cluster { name: test, listen: \"127.0.0.1:\(port)\", routes: [\(routes)] }")
        }
        for server in servers { try server.start() }
        return servers
    }

    /// Runs `body` with a folder that is removed afterwards.
    static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = URL(filePath: "/tmp/nats-" + String(UInt64.random(in: 0 ... .max), radix: 36))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    @discardableResult
    static func run(
        _ path: String, _ arguments: [String], in folder: URL? = nil
    ) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(reason: "\(path) \(arguments) ended with \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension NATSStream {
    /// A stream on these servers.
    static func on(
        _ urls: [String], replicas: Int = 1,
        credentials: NATSSettings.Credentials = .none, authoritiesFile: String? = nil
    ) throws -> NATSStream {
        let start = ContinuousClock.now
        return try NATSStream(
            NATSSettings(
                urls: urls, stream: "pulsecast-1", replicas: replicas, bytesMax: 256 << 20,
                credentials: credentials, authoritiesFile: authoritiesFile,
                clientName: "test"),
            clock: { (ContinuousClock.now - start) / .seconds(1) })
    }

    /// Repeats a call while the stream is unavailable, for a bounded number of times.
    func patiently<Result>(
        _ call: (NATSStream) throws -> Result
    ) throws -> Result {
        for _ in 0..<300 {
            do {
                return try call(self)
            } catch ClusterStreamError.unavailable {
                usleep(100_000)
            }
        }
        return try call(self)
    }

    /// Reads until there are `count` messages from `sequence` on, for a bounded number of calls.
    func readAll(_ count: Int, from sequence: UInt64 = 1) throws -> [StreamMessage] {
        var messages: [StreamMessage] = []
        for _ in 0..<600 where messages.count < count {
            let next = (messages.last?.sequence ?? sequence - 1) + 1
            messages += try patiently { stream in
                try stream.read(from: next, waitingMilliseconds: 200)
            }
        }
        return messages
    }
}
