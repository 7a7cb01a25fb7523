import Foundation

/// A device that sends numbered frames over TCP and records acks in a ledger.
struct LedgerDevice: Sendable {
    enum Form: Sendable, CaseIterable {
        case text, binary
    }

    let token: String
    let form: Form
    let session = UUID().uuidString.lowercased()
    let ledger = Ledger()
    /// Frames in one write.
    var framesPerSend = 50
    /// Limit of frames sent and not acknowledged.
    var unacknowledgedMax: UInt32 = 3000
    /// Pause between two writes.
    var pauseMilliseconds = 0

    /// Connects, continues after the daemon's last frame, and sends until the goal is acknowledged
    /// or the connection ends.
    ///
    /// - Parameters:
    ///   - port: Port of the device listener.
    ///   - goal: The last frame to send.
    /// - Throws: ``PlainSocket/Failure`` if the daemon does not listen or does not answer.
    func run(port: UInt16, until goal: UInt32 = .max) async throws {
        let socket = try PlainSocket(port: port)
        defer { socket.close() }
        let first = try await greet(socket)
        guard let first else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listen(to: socket, until: goal) }
            group.addTask { try await send(to: socket, after: first, until: goal) }
            try await group.waitForAll()
        }
    }

    /// - Returns: The sequence up to which the daemon has all; `nil` at the end or after a cut.
    func greet(_ socket: PlainSocket) async throws -> UInt32? {
        await sayHello(on: socket)
        while let answer = try await answer(from: socket) {
            guard case .welcome(let number) = answer else { continue }
            return ledger.welcome(at: number) ? number : nil
        }
        return nil
    }

    func sayHello(on socket: PlainSocket) async {
        let hello =
            #"{"type":"hello","token":"\#(token)","session":"\#(session)","recorded":true}"#
        switch form {
        case .text: await socket.send(line: hello)
        case .binary:
            var bytes = Array("PLS1".utf8)
            bytes.append(little: UInt16(14 + hello.utf8.count))
            await socket.send(bytes + [1, 0] + [UInt8](repeating: 0, count: 12) + hello.utf8)
        }
    }

    // MARK: - Both directions

    private func send(
        to socket: PlainSocket, after first: UInt32, until goal: UInt32
    ) async throws {
        var next = first + 1
        while next <= goal {
            let end = min(goal, next + UInt32(framesPerSend) - 1)
            ledger.send(upTo: end)
            guard await socket.send(bytes(next...end)) else { return }
            next = end + 1
            if pauseMilliseconds > 0 {
                try await Task.sleep(for: .milliseconds(pauseMilliseconds))
            }
            while ledger.sent - ledger.acknowledged > unacknowledgedMax {
                guard !socket.hasEnded else { return }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    private func listen(to socket: PlainSocket, until goal: UInt32) async throws {
        while ledger.acknowledged < goal, let answer = try await answer(from: socket) {
            switch answer {
            case .ack(let number): ledger.acknowledge(number)
            case .other(let json): ledger.note(json)
            case .welcome: break
            }
        }
    }

    func bytes(_ numbers: ClosedRange<UInt32>) -> [UInt8] {
        numbers.flatMap { number in
            let frame = NumberedFrame(number: number)
            return form == .binary ? frame.binary : Array(frame.line.utf8) + [10]
        }
    }

    // MARK: - Answers

    enum Answer {
        case welcome(UInt32)
        case ack(UInt32)
        case other(String)
    }

    /// - Returns: The daemon's next answer; `nil` at the end of the connection.
    func answer(from socket: PlainSocket) async throws -> Answer? {
        switch form {
        case .text: return try await socket.line().map { Self.answer(in: $0) }
        case .binary:
            guard let head = try await socket.bytes(2) else { return nil }
            let count = Int(head[0]) | Int(head[1]) << 8
            guard let frame = try await socket.bytes(count) else { return nil }
            if frame[0] == 0x82 {
                return .ack((2..<6).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(frame[$1]) })
            }
            return Self.answer(in: String(decoding: frame[14...], as: UTF8.self))
        }
    }

    private static func answer(in json: String) -> Answer {
        let parsed = try? JSONSerialization.jsonObject(with: Data(json.utf8))
        let object = parsed as? [String: Any] ?? [:]
        switch object["type"] as? String {
        case "welcome": return .welcome(UInt32(object["acked"] as? Int ?? 0))
        case "ack": return .ack(UInt32(object["seq"] as? Int ?? 0))
        default: return .other(json)
        }
    }
}
