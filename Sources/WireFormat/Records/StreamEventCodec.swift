public import SensorModel

/// Stream events as the log's metric and event records hold them. Lossless, and byte-identical
/// for equal values.
public enum StreamEventCodec {
    public static func encode(_ event: StreamEvent, to bytes: inout [UInt8]) {
    }

    /// - Throws: ``RecordRefusal`` for bytes that no version of this code has written.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> StreamEvent {
        throw .truncated
    }
}
