import Bytes
public import SensorModel

/// The binary frame of the wire, little-endian.
///
/// ```
///  0  u16  bytes after this field (14 + payload; at most 4094)
///  2  u8   kind
///  3  u8   flags: bit 0 is set in an ack that is not durable; else 0
///  4  u32  sequence (0: not counted)
///  8  i64  device time, microseconds since 1970
/// 16  payload
/// ```
public enum BinaryFrame {
    /// The first four bytes of a binary TCP connection.
    public static let preamble: [UInt8] = Array("PLS1".utf8)

    /// The length of the frame at the start of `bytes`, its length field included.
    ///
    /// - Parameter bytes: Any bytes from the start of a frame on.
    /// - Returns: `nil` until the whole length field has arrived.
    /// - Throws: ``FrameRefusal/lengthOutOfRange(bytes:)``: the connection must close.
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
    /// - Throws: ``RefusedFrame`` with the frame's number, for a flag or a kind that devices do not
    ///   send.
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

    /// Appends the 16 bytes before a payload.
    ///
    /// - Parameters:
    ///   - header: A header of any kind.
    ///   - flags: 0, except for an ack.
    ///   - payloadBytes: At most ``Limits/framePayloadBytesMax``.
    ///   - bytes: Receives the header.
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
    /// Motion samples and a motion frame's heart rate are rounded to the wire's 16-bit grid. Only
    /// ``FramePayload/encode(_:to:)`` keeps more digits.
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
    /// Whether a device may send frames of this kind.
    var isSentByDevices: Bool { self == .hello || isRecordable && self != .exactMotion }
}
