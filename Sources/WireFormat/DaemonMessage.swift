public import SensorModel

/// A message from the daemon to a device, as a text line and as a binary frame.
public enum DaemonMessage: Hashable, Sendable {
    /// - Parameters:
    ///   - session: The session in the hello.
    ///   - acknowledged: The device continues after it; ``FrameSequence/none`` for a new session.
    ///   - share: The ID of a share of the device, if it has one.
    ///   - serverTime: The daemon's clock.
    case welcome(
        session: SessionID, acknowledged: FrameSequence, share: String?, serverTime: Timestamp)
    /// Every accepted frame up to `sequence` is on disk. With `durable` false it is only in memory,
    /// because the settings do not wait for the disk.
    case ack(sequence: FrameSequence, durable: Bool)
    case error(code: UInt16, reason: String)
    case command(String)
    case cheer(text: String)

    public static func error(_ code: CloseCode) -> DaemonMessage {
        .error(code: code.rawValue, reason: code.reason)
    }

    /// The answer to a refused frame; the connection stays open, or closes with the refusal's code.
    public static func error(_ refusal: FrameRefusal) -> DaemonMessage {
        .error(
            code: (refusal.closes ?? .notAFrame).rawValue, reason: refusal.description)
    }

    /// Appends a JSON object, without a line feed.
    public func appendJSON(to bytes: inout [UInt8]) {
        switch self {
        case .welcome(let session, let acknowledged, let share, let serverTime):
            bytes.append(contentsOf: "{\"type\":\"welcome\",\"session\":\"".utf8)
            bytes.append(contentsOf: session.description.utf8)
            bytes.append(contentsOf: "\",\"acked\":".utf8)
            MessageText.append(Int64(acknowledged.rawValue), to: &bytes)
            if let share {
                bytes.append(contentsOf: ",\"share\":".utf8)
                MessageText.append(share, to: &bytes)
            }
            bytes.append(contentsOf: ",\"serverTime\":".utf8)
            MessageText.append(serverTime, to: &bytes)
        case .ack(let sequence, let durable):
            bytes.append(contentsOf: "{\"type\":\"ack\",\"seq\":".utf8)
            MessageText.append(Int64(sequence.rawValue), to: &bytes)
            if !durable { bytes.append(contentsOf: ",\"durable\":false".utf8) }
        case .error(let code, let reason):
            bytes.append(contentsOf: "{\"type\":\"error\",\"code\":".utf8)
            MessageText.append(Int64(code), to: &bytes)
            bytes.append(contentsOf: ",\"reason\":".utf8)
            MessageText.append(reason, to: &bytes)
        case .command(let command):
            bytes.append(contentsOf: "{\"command\":".utf8)
            MessageText.append(command, to: &bytes)
        case .cheer(let text):
            bytes.append(contentsOf: "{\"type\":\"cheer\",\"text\":".utf8)
            MessageText.append(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends a text line, its line feed included.
    public func appendLine(to bytes: inout [UInt8]) {
        appendJSON(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends a whole binary frame.
    ///
    /// - Parameters:
    ///   - time: The daemon's clock, in the header's time field.
    ///   - bytes: Receives the frame.
    public func appendBinary(at time: Timestamp, to bytes: inout [UInt8]) {
        if case .ack(let sequence, let durable) = self {
            BinaryFrame.appendHeader(
                FrameHeader(kind: .ack, sequence: sequence, deviceTime: time),
                flags: durable ? 0 : 1, payloadBytes: 0, to: &bytes)
            return
        }
        var payload: [UInt8] = []
        appendJSON(to: &payload)
        // Only the reason of an error could be that long, and cut JSON would be invalid.
        if payload.count > Limits.framePayloadBytesMax {
            payload.removeAll()
            DaemonMessage.error(code: 4000, reason: "").appendJSON(to: &payload)
        }
        BinaryFrame.appendHeader(
            FrameHeader(kind: kind, sequence: .none, deviceTime: time),
            payloadBytes: payload.count, to: &bytes)
        bytes.append(contentsOf: payload)
    }

    private var kind: FrameKind {
        switch self {
        case .welcome: .welcome
        case .ack: .ack
        case .error: .error
        case .command, .cheer: .command
        }
    }
}
