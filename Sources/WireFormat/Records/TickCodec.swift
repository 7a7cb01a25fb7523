public import SensorModel

/// A tick of silence: the device time up to which nothing came.
public enum TickCodec {
    public static func encode(_ deviceTime: Timestamp, to bytes: inout [UInt8]) {
        bytes.append(1)
        bytes.appendLittleEndian(deviceTime.microseconds)
    }

    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Timestamp {
        guard bytes.count >= 9 else { throw .truncated }
        guard bytes[0] == 1 else { throw .unknownVersion(bytes[0]) }
        guard bytes.count == 9 else { throw .tooLong(bytes: bytes.count - 9) }
        return Timestamp(microseconds: bytes.int64(at: 1))
    }
}
