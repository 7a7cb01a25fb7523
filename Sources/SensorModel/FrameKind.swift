/// The kind byte of a binary frame, as on the wire and in the log.
public enum FrameKind: UInt8, CaseIterable, Sendable {
    case hello = 0x01
    case heartRate = 0x02
    /// Samples as 16-bit integers: the wire's own form.
    case motion = 0x03
    case location = 0x04
    case control = 0x05
    case pressure = 0x06
    case status = 0x07
    case marker = 0x08
    case source = 0x09
    /// Samples of a text frame as 32-bit floats, with its heart rate; in the log only. A text frame
    /// has more digits than the wire's integers, and an export returns all of them.
    case exactMotion = 0x13
    case welcome = 0x81
    case ack = 0x82
    case command = 0x83
    case error = 0x84

    /// Whether a device may send it and the log may hold it.
    public var isRecordable: Bool {
        switch self {
        case .heartRate, .motion, .location, .control, .pressure, .status, .marker, .source,
            .exactMotion:
            true
        case .hello, .welcome, .ack, .command, .error: false
        }
    }
}

/// The fields in front of every frame's payload.
public struct FrameHeader: Hashable, Sendable {
    public var kind: FrameKind
    public var sequence: FrameSequence
    public var deviceTime: Timestamp

    @inlinable
    public init(kind: FrameKind, sequence: FrameSequence, deviceTime: Timestamp) {
        self.kind = kind
        self.sequence = sequence
        self.deviceTime = deviceTime
    }
}
