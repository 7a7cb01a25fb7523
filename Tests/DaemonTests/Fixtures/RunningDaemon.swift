import Client
import Foundation
import Logging
import Registry
import SegmentLog
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Runtime
@testable import Daemon

/// A complete daemon in this process, with its own ports and a temporary state folder.
struct RunningDaemon {
    let daemon: PulsecastDaemon
    let addresses: [String: String]
    let folder: String

    /// Path of a state folder that does not exist yet.
    static func newFolder() -> String {
        NSTemporaryDirectory() + "pc-\(UInt32.random(in: 0 ... .max))"
    }

    /// A session ID for each number, in ascending order.
    static func session(_ number: Int) -> SessionID {
        SessionID(high: UInt64(number + 1) << 56 | 0x4000, low: 1 << 63)
    }

    /// Runs `body` with a daemon and always stops the daemon afterwards.
    static func run(
        _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (RunningDaemon) async throws -> Void
    ) async throws {
        let folder = newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await again(in: folder, configure, body)
    }

    /// Runs `body` with a daemon in an existing folder, which is kept.
    static func again(
        in folder: String, disk: (String) -> any Disk = { PosixDisk(path: $0) },
        _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (RunningDaemon) async throws -> Void
    ) async throws {
        var configuration = Configuration()
        configuration.stateDirectory = folder
        configuration.device.port = 0
        configuration.httpListener.port = 0
        configuration.operations.port = 0
        configuration.bounds.failuresPerMinuteMax = 1000
        configure(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let daemon = try PulsecastDaemon(
            configuration: configuration, environment: [:], newEpoch: 1, logger: logger,
            disk: disk)
        let addresses = try await daemon.start()
        do {
            try await body(
                RunningDaemon(daemon: daemon, addresses: addresses, folder: folder))
        } catch {
            await daemon.stop()
            throw error
        }
        await daemon.stop()
    }

    func address(_ scheme: ServerAddress.Scheme, _ target: String = "/") throws -> ServerAddress {
        let name = scheme == .tcp ? "device" : "http"
        let text = try #require(addresses[name])
        let port = try #require(text.split(separator: ":").last.flatMap { Int($0) })
        return ServerAddress(scheme: scheme, host: "127.0.0.1", port: port, target: target)
    }

    // MARK: Requests

    func ask(
        _ method: HTTPRequest.Method, _ target: String, token: String? = nil,
        fields: HTTPFields = [:], body: String = ""
    ) async throws -> HTTPClient.Answer {
        var fields = fields
        if let token { fields["Authorization"] = "Bearer " + token }
        return try await HTTPClient(try address(.http)).send(
            method, target, fields: fields, body: Array(body.utf8))
    }

    func admin(
        _ method: HTTPRequest.Method, _ target: String, _ json: String = ""
    ) async throws -> HTTPClient.Answer {
        try await AdminClient(socketPath: folder + "/admin.sock")
            .send(method, target, json: Array(json.utf8))
    }

    func socket(_ target: String) async throws -> ViewerClient {
        try await ViewerClient.connect(to: try address(.ws, target))
    }

    /// Asks as a device's owner, with a body of JSON.
    func askMe(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", token: String
    ) async throws -> HTTPClient.Answer {
        try await ask(
            method, "/v1/me" + path, token: token, fields: ["Content-Type": "application/json"],
            body: body)
    }

    // MARK: Devices

    /// - Returns: The device's token.
    func addDevice(_ name: String) throws -> String {
        try daemon.administration.addDevice(named: name).token
    }

    /// - Returns: The share's ID.
    func addShare(
        of device: String, _ change: (inout ShareRequest) -> Void = { _ in }
    ) throws -> String {
        let known = try daemon.administration.known(device)
        var wish = ShareRequest()
        change(&wish)
        return try daemon.administration.createShare(
            wish, of: .device(known.id), stem: device
        ).id.text
    }

    /// Sends heart rates, the last of them now, over the device port and waits for the ack.
    func sendHeartRates(
        _ rates: [Int], token: String, session: SessionID
    ) async throws {
        let client = try await DeviceClient.connect(to: try address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let now = WallClock.now().secondsSince1970
        for (index, rate) in rates.enumerated() {
            let time = now - Double(rates.count - 1 - index)
            let line =
                #"{"type":"heartRate","heartRate":\#(rate),"timestamp":\#(time),"seq":\#(index + 1)}"#
            try await client.send(text: Array(line.utf8))
        }
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= rates.count { break }
        }
        await client.close()
    }

    /// Waits, for a bounded time, until `condition` holds.
    func eventually(
        seconds: Int = 10, _ condition: () async throws -> Bool
    ) async throws -> Bool {
        for _ in 0..<40 * seconds {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(25))
        }
        return false
    }
}

extension HTTPClient.Answer {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The JSON object in the body.
    var object: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }

    var list: [[String: Any]] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [[String: Any]] ?? []
    }
}
