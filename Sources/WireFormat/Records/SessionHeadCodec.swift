public import SensorModel

/// The head record of a session.
public enum SessionHeadCodec {
    public static func encode(_ head: SessionHead, to bytes: inout [UInt8]) {
    }

    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> SessionHead {
        throw .truncated
    }
}

/// A change of the profile, written before it takes effect.
public enum ProfileCodec {
    public static func encode(_ profile: RunnerProfile, to bytes: inout [UInt8]) {
    }

    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> RunnerProfile {
        throw .truncated
    }
}
