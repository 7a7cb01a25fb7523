import Bytes
public import SensorModel
public import WireFormat

/// The payload of snapshot records: the events that a reader needs to start here, newest metrics
/// last.
///
/// ```
/// u8 version 1, u32 count, count × (u32 bytes, an encoded stream event)
/// ```
public enum SnapshotCodec {
    private static let version: UInt8 = 1
    /// Maximum number of events in a payload; earlier versions wrote up to so many.
    private static let eventsMax = 4096

    /// - Parameters:
    ///   - summary: Splits, laps and corrections so far.
    ///   - newest: The newest metrics.
    ///   - bytes: The payload is appended.
    public static func encode(
        _ summary: SummaryEvents, newest: StreamEvent, to bytes: inout [UInt8]
    ) {
        bytes.append(version)
        bytes.appendLittleEndian(UInt32(summary.count + 1))
        bytes.append(contentsOf: summary.encoded)
        append(newest, to: &bytes)
    }

    /// Appends one event with its length.
    static func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
        var encoded: [UInt8] = []
        StreamEventCodec.encode(event, to: &encoded)
        bytes.appendLittleEndian(UInt32(encoded.count))
        bytes.append(contentsOf: encoded)
    }

    /// - Throws: ``RecordRefusal`` for bytes that no version of this code has written.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> [StreamEvent] {
        guard bytes.count >= 5 else { throw .truncated }
        guard bytes[0] == version else { throw .unknownVersion(bytes[0]) }
        let count = Int(bytes.uint32(at: 1))
        guard count <= eventsMax else { throw .unknownValue }
        var events: [StreamEvent] = []
        var position = 5
        for _ in 0..<count {
            guard bytes.count >= position + 4 else { throw .truncated }
            let length = Int(bytes.uint32(at: position))
            position += 4
            guard bytes.count - position >= length else { throw .truncated }
            events.append(
                try StreamEventCodec.decode(bytes.extracting(position..<position + length)))
            position += length
        }
        guard position == bytes.count else { throw .tooLong(bytes: bytes.count - position) }
        return events
    }
}
