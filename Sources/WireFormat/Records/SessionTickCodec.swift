import Bytes
public import SensorModel

/// The payload of tick records.
///
/// ```
/// u8 version 1, u8 kind: 0 silence, 1 gap, 2 ended; a gap: u32 first, u32 last sequence
/// ```
public enum SessionTickCodec {
    private static let version: UInt8 = 1

    private enum Kind {
        static let silence: UInt8 = 0
        static let gap: UInt8 = 1
        static let ended: UInt8 = 2
    }

    public static func encode(_ tick: SessionTick, to bytes: inout [UInt8]) {
        bytes.append(version)
        switch tick {
        case .silence: bytes.append(Kind.silence)
        case .gap(let from, let to):
            bytes.append(Kind.gap)
            bytes.appendLittleEndian(from.rawValue)
            bytes.appendLittleEndian(to.rawValue)
        case .ended: bytes.append(Kind.ended)
        }
    }

    /// - Throws: ``RecordRefusal`` for bytes that no version of this code writes.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> SessionTick {
        guard bytes.count >= 2 else { throw .truncated }
        guard bytes[0] == version else { throw .unknownVersion(bytes[0]) }
        let isGap = bytes[1] == Kind.gap
        let expected = isGap ? 10 : 2
        guard bytes.count >= expected else { throw .truncated }
        guard bytes.count == expected else { throw .tooLong(bytes: bytes.count - expected) }
        switch bytes[1] {
        case Kind.silence: return .silence
        case Kind.ended: return .ended
        case Kind.gap:
            return .gap(
                from: FrameSequence(rawValue: bytes.uint32(at: 2)),
                to: FrameSequence(rawValue: bytes.uint32(at: 6)))
        default: throw .unknownValue
        }
    }
}
