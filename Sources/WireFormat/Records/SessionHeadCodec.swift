public import SensorModel

/// The head record of a session.
///
/// ```
/// u8 version, u64 u64 session, u32 device, i64 arrival (µs), u8 recorded, u16 algorithm version,
/// then the profile
/// ```
public enum SessionHeadCodec {
    public static let version: UInt8 = 1

    /// - Parameters:
    ///   - head: Any head.
    ///   - bytes: The payload is appended to it.
    public static func encode(_ head: SessionHead, to bytes: inout [UInt8]) {
        var writer = RecordWriter(bytes: [])
        swap(&writer.bytes, &bytes)
        writer.byte(version)
        writer.integer(head.session.high)
        writer.integer(head.session.low)
        writer.integer(head.device.rawValue)
        writer.integer(head.arrivalTime.microseconds)
        writer.bool(head.recorded)
        writer.integer(head.algorithmVersion)
        ProfileCodec.write(head.profile, &writer)
        swap(&writer.bytes, &bytes)
    }

    /// - Parameter bytes: The payload of one record.
    /// - Returns: The encoded head.
    /// - Throws: ``RecordRefusal`` for bytes that no version of this code writes.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> SessionHead {
        var reader = RecordReader()
        let found = try reader.byte(bytes)
        guard found == version else { throw .unknownVersion(found) }
        let session = SessionID(high: try reader.uint64(bytes), low: try reader.uint64(bytes))
        let device = DeviceID(rawValue: try reader.uint32(bytes))
        let arrivalTime = Timestamp(microseconds: try reader.int64(bytes))
        let recorded = try reader.bool(bytes)
        let algorithmVersion = try reader.uint16(bytes)
        let profile = try ProfileCodec.read(&reader, bytes)
        try reader.end(bytes)
        return SessionHead(
            session: session, device: device, arrivalTime: arrivalTime, recorded: recorded,
            profile: profile, algorithmVersion: algorithmVersion)
    }
}
