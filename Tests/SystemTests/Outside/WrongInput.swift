import Foundation
import Testing

/// Sends wrong input to each listener of a daemon and checks the answers.
struct WrongInput {
    let daemon: DaemonProcess
    let token: String

    /// The expected outcome.
    enum Outcome {
        /// An error with code 4000 and this in its reason; the connection stays.
        case refused(String)
        /// The connection ends with this code.
        case closed(Int)
    }

    private func hello(token: String? = nil) -> String {
        let session = UUID().uuidString.lowercased()
        return #"{"type":"hello","token":"\#(token ?? self.token)","session":"\#(session)"}"#
    }

    private static func heartRate(_ fields: String) -> String {
        #"{"type":"heartRate","timestamp":1763700000,\#(fields)}"#
    }

    // MARK: - Lines

    private static let lines: [(line: String, outcome: Outcome)] = [
        ("not json", .refused("JSON")),
        ("[1]", .refused("object")),
        (String(repeating: "[", count: 500), .refused("nested")),
        (#"{"type":"zebra"}"#, .refused("type")),
        (#"{"type":"heartRate","heartRate":100,"seq":1}"#, .refused("timestamp")),
        (heartRate(#""seq":1"#), .refused("heartRate")),
        (heartRate(#""heartRate":"100","seq":1"#), .refused("heartRate")),
        (heartRate(#""heartRate":null,"seq":1"#), .refused("heartRate")),
        (heartRate(#""heartRate":true,"seq":1"#), .refused("heartRate")),
        (heartRate(#""heartRate":300,"seq":1"#), .refused("300")),
        (heartRate(#""heartRate":1e999,"seq":1"#), .refused("finite")),
        (heartRate(#""heartRate":100,"seq":0"#), .refused("seq")),
        (heartRate(#""heartRate":100,"seq":1.5"#), .refused("seq")),
        (#"{"type":"heartRate","heartRate":100,"timestamp":1,"seq":1}"#, .refused("time")),
        (
            NumberedFrame(number: 2).line.replacing(#""latitude":48"#, with: #""latitude":98"#),
            .refused("98")
        ),
        (#"{"type":"control","action":"fly","timestamp":1763700000,"seq":1}"#, .refused("control")),
        (String(repeating: "x", count: 70_000), .closed(4013)),
    ]

    func tryLines() async throws {
        for (line, outcome) in Self.lines {
            let socket = try daemon.connect()
            await socket.send(line: hello())
            await socket.send(line: line)
            await check("line \(line.prefix(70))", outcome, good(socket)) {
                try await socket.line()
            }
        }
        let greetings = [
            (NumberedFrame(number: 1).line, 4001), ("GET / HTTP/1.1\r", 4001),
            (hello(token: "pc_wrong"), 4003),
        ]
        for (line, code) in greetings {
            let socket = try daemon.connect()
            await socket.send(line: line)
            await check("greeting \(line)", .closed(code), {}) { try await socket.line() }
        }
        let silent = try daemon.connect()
        await check("silence", .closed(4001), {}) { try await silent.line() }
    }

    /// Sends the first two frames; the first is a duplicate if the wrong frame took number 1.
    private func good(_ socket: PlainSocket) -> () async -> Void {
        {
            for number: UInt32 in [1, 2] {
                await socket.send(line: NumberedFrame(number: number).line)
            }
        }
    }

    // MARK: - Binary frames

    private static let frames: [(name: String, frame: [UInt8], outcome: Outcome)] = [
        ("shorter than a header", [5, 0, 2, 0, 0, 0, 0], .closed(4000)),
        ("too long", [0xFF, 0xFF, 2, 0], .closed(4000)),
        ("unknown kind", frame(0x77, []), .refused("kind")),
        ("the daemon's own kind", frame(0x82, []), .refused("kind")),
        ("the log's own kind", frame(0x13, []), .refused("kind")),
        ("wrong size", frame(2, [1, 2, 3]), .refused("payload")),
        ("flags", frame(2, [0xE8, 3, 0, 0], flags: 1), .refused("zero")),
        ("heart rate of 999.9", frame(2, [0x0F, 0x27, 0, 0]), .refused("999")),
        ("contact of 7", frame(2, [0xE8, 3, 7, 0]), .refused("contact")),
        ("no samples", frame(3, [0, 0, 0, 0, 16, 39, 0, 0]), .refused("samples")),
        ("missing samples", frame(3, [2, 0, 0, 0, 16, 39, 0, 0]), .refused("payload")),
        ("pressure that is no number", frame(6, [0, 0, 0xC0, 0x7F]), .refused("finite")),
        ("bad UTF-8", frame(8, [0xFF, 0xFE]), .refused("UTF-8")),
        ("unknown control", frame(5, [99]), .refused("control")),
        ("battery of 200 %", frame(7, [200, 0]), .refused("battery")),
    ]

    private static func frame(_ kind: UInt8, _ payload: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt16(14 + payload.count))
        bytes += [kind, flags]
        bytes.append(little: UInt32(1))
        bytes.append(little: NumberedFrame(number: 1).deviceTime)
        return bytes + payload
    }

    func tryFrames() async throws {
        for (name, frame, outcome) in Self.frames {
            let device = LedgerDevice(token: token, form: .binary)
            let socket = try daemon.connect()
            _ = try await device.greet(socket)
            await socket.send(frame)
            await check("binary, \(name)", outcome, { await socket.send(device.bytes(1...2)) }) {
                try await device.answer(from: socket).map { answer in
                    switch answer {
                    case .ack(let number): #"{"type":"ack","seq":\#(number)}"#
                    case .welcome: "{}"
                    case .other(let json): json
                    }
                }
            }
        }
    }

    // MARK: - WebSocket messages

    private static let messages: [(name: String, message: [UInt8], outcome: Outcome)] = [
        ("no JSON", WebSocketFrame.text("nope"), .refused("JSON")),
        ("a wrong one in an array", WebSocketFrame.text("[5]"), .refused("object")),
        ("half a frame", WebSocketFrame.binary([1, 2, 3]), .closed(4000)),
        ("unmasked", WebSocketFrame.encode(opcode: 1, [123, 125], masked: false), .closed(1002)),
        ("reserved bit", WebSocketFrame.encode(opcode: 1, [123], reserved: 4), .closed(1002)),
        ("unknown opcode", WebSocketFrame.encode(opcode: 3, []), .closed(1002)),
        (
            "long ping", WebSocketFrame.encode(opcode: 9, Array(repeating: 1, count: 126)),
            .closed(1002)
        ),
        ("bad UTF-8", WebSocketFrame.encode(opcode: 1, [0xFF, 0xFE]), .closed(1007)),
        (
            "over 1 MiB", WebSocketFrame.text(String(repeating: " ", count: 1 << 20 + 1)),
            .closed(4013)
        ),
    ]

    func tryMessages() async throws {
        let greeting = WebSocketFrame.text(hello(token: "pc_wrong"))
        for (name, message, outcome) in Self.messages + [("wrong token", greeting, .closed(4003))] {
            let socket = try daemon.connect("http")
            #expect(try await socket.upgrade("/v1/device") == 101)
            if name != "wrong token" { await socket.send(WebSocketFrame.text(hello())) }
            await socket.send(message)
            let good = {
                for number: UInt32 in [1, 2] {
                    await socket.send(WebSocketFrame.text(NumberedFrame(number: number).line))
                }
            }
            await check("WebSocket, \(name)", outcome, good) {
                switch try await socket.message() {
                case .text(let json): json
                case .close(let code): #"{"type":"error","code":\#(code),"reason":"closed"}"#
                case .other: "{}"
                case nil: nil
                }
            }
        }
    }

    // MARK: - HTTP requests

    private static let requests: [(head: String, status: Int)] = [
        ("GARBAGE\r\n", 405),
        ("GET /nope HTTP/1.1\r\nHost: x\r\n", 404),
        ("DELETE / HTTP/1.1\r\nHost: x\r\n", 405),
        ("GET / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n", 400),
        ("GET / HTTP/9.9\r\nHost: x\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 20_000))\r\n", 431),
        ("POST /in/hr/pc_wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n", 413),
        ("POST /in/overland/pc_wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n", 401),
        ("GET /v1/me HTTP/1.1\r\nHost: x\r\n", 401),
        ("GET /v1/shares/AAAAAAAAAAAAAAAAAAAAAA/latest HTTP/1.1\r\nHost: x\r\n", 404),
        ("GET /v1/shares/AAAAAAAAAAAAAAAAAAAAAA/live HTTP/1.1\r\nHost: x\r\n", 426),
    ]

    func tryRequests() async throws {
        for (head, status) in Self.requests {
            let socket = try daemon.connect("http")
            await socket.send(Array((head + "\r\n").utf8))
            let line = try await socket.line() ?? ""
            #expect(line.hasPrefix("HTTP/1.1 \(status) "), "\(head.prefix(70)): \(line)")
            var length = 0
            while let field = try await socket.line(), field != "\r" {
                let parts = field.split(separator: ":")
                guard parts.first?.lowercased() == "content-length" else { continue }
                length = Int(parts[1].trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            }
            let body = try await socket.bytes(length) ?? []
            let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            #expect(object?["code"] is Int, "\(head.prefix(70)): no code")
            #expect((object?["reason"] as? String ?? "").count > 5, "\(head.prefix(70))")
        }
        let viewer = try daemon.connect("http")
        #expect(try await viewer.upgrade("/v1/shares/AAAAAAAAAAAAAAAAAAAAAA/live") == 404)
    }

    // MARK: - Answers

    /// Reads answers until the outcome is certain.
    private func check(
        _ name: String, _ outcome: Outcome, _ sendGoodFrames: () async -> Void,
        _ answer: () async throws -> String?
    ) async {
        var errors: [(code: Int, reason: String)] = []
        var isAcknowledged = false
        if case .refused = outcome { await sendGoodFrames() }
        do {
            while !isAcknowledged, let json = try await answer() {
                let parsed = try? JSONSerialization.jsonObject(with: Data(json.utf8))
                let object = parsed as? [String: Any] ?? [:]
                if let code = object["code"] as? Int {
                    errors.append((code, object["reason"] as? String ?? ""))
                }
                isAcknowledged = (object["seq"] as? Int ?? 0) >= 2
            }
        } catch {
            Issue.record("\(name): \(error), after \(errors)")
        }
        switch outcome {
        case .refused(let words):
            #expect(isAcknowledged, "\(name): the good frames behind it were not taken")
            let isSaid = errors.contains { $0.code == 4000 && $0.reason.contains(words) }
            #expect(isSaid, "\(name): \(errors)")
        case .closed(let code):
            #expect(errors.last?.code == code, "\(name): \(errors)")
            #expect((errors.last?.reason ?? "").count > 5, "\(name): no reason")
        }
    }
}
