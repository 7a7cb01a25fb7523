public import SensorModel

/// The binary frame of the wire, little-endian.
///
/// ```
///  0  u16  bytes after this field (14 + payload; at most 4094)
///  2  u8   kind
///  3  u8   flags: 0, but bit 0 of an ack that is not durable
///  4  u32  sequence (0: not counted)
///  8  i64  device time, microseconds since 1970
/// 16  payload
/// ```
public enum BinaryFrame {
    /// The four bytes a binary TCP connection starts with.
    public static let preamble: [UInt8] = Array("PLS1".utf8)

    /// How long the frame at the start of `bytes` is, its length field included.
    ///
    /// - Parameter bytes: Any bytes from the start of a frame on.
    /// - Returns: `nil` while the length field itself has not come.
    /// - Throws: ``FrameRefusal/lengthOutOfRange(bytes:)``: the connection cannot go on.
    public static func byteCount(at bytes: Span<UInt8>) throws(FrameRefusal) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let length = Int(bytes.uint16(at: 0))
        guard Limits.frameLengthRange.contains(length) else {
            throw .lengthOutOfRange(bytes: length)
        }
        return length + 2
    }

    /// The header of a whole frame as a device sends it.
    ///
    /// - Parameter frame: At least ``Limits/frameHeaderBytes`` bytes; the payload follows them.
    /// - Returns: The header of a kind that devices send.
    /// - Throws: ``RefusedFrame`` for a kind no device sends or a flag; its number is in it.
    public static func header(of frame: Span<UInt8>) throws(RefusedFrame) -> FrameHeader {
        guard frame.count >= Limits.frameHeaderBytes else {
            throw RefusedFrame(refusal: .lengthOutOfRange(bytes: frame.count))
        }
        let sequence = FrameSequence(rawValue: frame.uint32(at: 4))
        guard let kind = FrameKind(rawValue: frame[2]), kind.isSentByDevices else {
            throw RefusedFrame(refusal: .unknownKind(frame[2]), sequence: sequence)
        }
        guard frame[3] == 0 else {
            throw RefusedFrame(refusal: .reservedNotZero, sequence: sequence)
        }
        return FrameHeader(
            kind: kind, sequence: sequence,
            deviceTime: Timestamp(microseconds: frame.int64(at: 8)))
    }

    /// Appends the 16 bytes in front of a payload.
    ///
    /// - Parameters:
    ///   - header: Of any kind.
    ///   - flags: 0 but for an ack.
    ///   - payloadBytes: At most ``Limits/framePayloadBytesMax``.
    ///   - bytes: Takes the header.
    public static func appendHeader(
        _ header: FrameHeader, flags: UInt8 = 0, payloadBytes: Int, to bytes: inout [UInt8]
    ) {
        precondition(payloadBytes <= Limits.framePayloadBytesMax)
        bytes.appendLittleEndian(UInt16(payloadBytes + Limits.frameHeaderBytes - 2))
        bytes.append(header.kind.rawValue)
        bytes.append(flags)
        bytes.appendLittleEndian(header.sequence.rawValue)
        bytes.appendLittleEndian(header.deviceTime.microseconds)
    }

    /// Appends a frame as a device sends it.
    ///
    /// Motion samples and a motion frame's heart rate are brought to the wire's 16-bit grid; what
    /// has more digits is kept by ``FramePayload/encode(_:to:)`` alone.
    public static func encode(_ frame: Frame, to bytes: inout [UInt8]) {
        let start = bytes.count
        let kind = FramePayload.wireKind(of: frame.payload)
        appendHeader(
            FrameHeader(kind: kind, sequence: frame.sequence, deviceTime: frame.deviceTime),
            payloadBytes: 0, to: &bytes)
        FramePayload.encode(frame.payload, as: kind, to: &bytes)
        let length = bytes.count - start - 2
        precondition(Limits.frameLengthRange.contains(length))
        bytes[start] = UInt8(truncatingIfNeeded: length)
        bytes[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
    }
}

extension FrameKind {
    /// Whether a device may put it on the wire.
    var isSentByDevices: Bool {
        switch self {
        case .hello, .heartRate, .motion, .location, .control, .pressure, .status, .marker,
            .source:
            true
        case .exactMotion, .welcome, .ack, .command, .error: false
        }
    }
}
