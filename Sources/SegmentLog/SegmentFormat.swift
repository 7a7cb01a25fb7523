import SensorModel

/// The byte layout of a segment. Little-endian throughout.
///
///     ┌────────────┬────────────┬────────┬────────┬───┬────────┬─────────┐
///     │ header 64  │ the same   │ record │ record │ … │ index  │ trailer │
///     └────────────┴────────────┴────────┴────────┴───┴────────┴─────────┘
///     0            64           128                    only once sealed
///
/// **Header**, stored twice, so that one bad block or bit does not cost the segment:
///
///      0  8 bytes  "PULSELOG"
///      8  u16  version, 2; 1 has no record with the top bit of its session set
///     10  u16  bytes of this header, 64
///     12  u32  epoch
///     16  u64  segment number, from 1, as in the file's name
///     24  u64  number of the segment before it, 0: none
///     32  u64  offset of the first record
///     40  i64  base of arrival times, microseconds since 1970
///     48  u32  generation: how often this segment was rewritten
///     52  u64  identity, a mix of the fields above
///     60  u32  CRC-32C of bytes 0 ..< 60
///
/// **Record**, 27 bytes and its payload:
///
///      0  u32  CRC-32C of: identity (8 bytes), position of this record in the file (8 bytes),
///              bytes 4 ..< end of this record
///      4  u24  payload bytes
///      7  u8   type: 0x01…0x7F a frame of that kind, else below
///      8  u15  session, a number within this segment; 0: none
///         u1   its offset is its arrival time
///     10  i40  arrival time, microseconds after the header's base
///     15  u32  sequence
///     19  i64  device time, microseconds since 1970
///     27  payload
///
/// | type | payload |
/// |---|---|
/// | 0xE1 metric, 0xE2 event, 0xE3 tick, 0xE4 snapshot, 0xE5 session | the record's own |
/// | 0xF1 introduction of this session number | UUID (16 bytes, big-endian), u32 device |
/// | 0xF2 anchor, every 16 KiB | u64 offset of the next record, u64 bytes known to be on disk |
/// | 0xF3 hole | u64 offset of the next record, u8 reason: 1 deleted, 2 damaged |
/// | 0xF4 index | see `SegmentIndex` |
/// | 0xF5 erased bytes | zeros; the device time is a lower bound of the next record's offset |
///
/// Types from 0xF0 on have no offset of their own. **Offsets** of the others ascend. A record's
/// offset is its arrival time, microseconds since 1970. It is one more than the last offset if the
/// arrival time is not greater, as within a frame or after a clock was set back. Viewers see
/// offsets as cursors. If offsets counted records, two cursors would reveal how many records lie
/// between them, including hidden ones and other people's.
///
/// **Trailer**, 16 bytes at the very end: u32 position of the index record, u32 number of erasures
/// in place, "PLSX", u32 CRC-32C of the 12 bytes before.
///
/// **Erasing.** In a sealed segment the introduction and the records of a session are overwritten
/// in place. Adjacent records become one record of erased bytes of the same length, and the index
/// keeps its length; see ``ErasureIntent``. In three cases the segment is rewritten without them,
/// with holes and a new generation: if it is open, if it is damaged in places that may belong to
/// the session, or if more than half of it would be erased bytes. The last case returns the space
/// and copies no more than was erased.
package enum SegmentFormat {
    static let version: UInt16 = 2
    static let headerBytes = 64
    /// Position of the first record, after both copies of the header.
    static let recordsStart = 128
    static let recordHeaderBytes = 27
    static let trailerBytes = 16
    /// Distance of anchors: after damage, offsets are certain again from the next anchor on.
    static let anchorSpacingBytes = 16 << 10
    static let introductionBytes = 20
    static let anchorBytes = 16
    static let holeBytes = 9
    /// The range of arrival times in 40 bits with sign: six days either way.
    static let arrivalRange: ClosedRange<Int64> = -(1 << 39)...(1 << 39 - 1)
    static let sessionsMax = 32_000
    /// Bit beside the session number: the record's offset is its arrival time.
    static let timedBit: UInt16 = 1 << 15
    /// Later arrival times are not used as offsets: such a clock is wrong and will be corrected,
    /// and JavaScript reads no larger integer. The year 2255.
    static let timedOffsetMax: Int64 = 1 << 53

    /// Limit of offsets, counts and segment numbers, so that sums of them fit into 64 bits. A
    /// segment with a larger number was not written by this program, even with valid checksums.
    static let numberMax = LogCursor.offsetEnd
    /// Offsets that must be left for a log to continue: its next segments must be readable, too.
    static let offsetsLeftMin: UInt64 = 1 << 32
    /// Microseconds since 1970, 36,000 years either way: differences fit into 64 bits.
    static let timeRange: ClosedRange<Int64> = -(1 << 60)...(1 << 60)

    package static let fileSuffix = ".segment"
    package static let erasureSuffix = ".erasure"
    static let temporarySuffix = ".tmp"
    package static let reserveName = "reserve"
    package static let lockName = "lock"
    /// An empty file: the segments come from a backup, and no start has used them yet.
    static let restoredName = "restored"

    /// File name with twelve digits, so that names sort by age.
    static func fileName(of number: UInt64, suffix: String = fileSuffix) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 12 - digits.count)) + digits + suffix
    }

    package static func number(ofFile name: String, suffix: String = fileSuffix) -> UInt64? {
        guard name.hasSuffix(suffix) else { return nil }
        guard let number = UInt64(name.dropLast(suffix.count)) else { return nil }
        return fileName(of: number, suffix: suffix) == name ? number : nil
    }
}

/// The type byte of a record.
enum RecordTag {
    static let metric: UInt8 = 0xE1
    static let event: UInt8 = 0xE2
    static let tick: UInt8 = 0xE3
    static let snapshot: UInt8 = 0xE4
    static let session: UInt8 = 0xE5
    static let introduction: UInt8 = 0xF1
    static let anchor: UInt8 = 0xF2
    static let hole: UInt8 = 0xF3
    static let index: UInt8 = 0xF4
    static let erased: UInt8 = 0xF5

    static func isNumbered(_ tag: UInt8) -> Bool { tag < 0xF0 }

    static func of(_ type: RecordType) -> UInt8 {
        switch type {
        case .frame(let kind): kind.rawValue
        case .metric: metric
        case .event: event
        case .tick: tick
        case .snapshot: snapshot
        case .session: session
        }
    }

    /// `nil` for a tag that the log never contains.
    static func type(_ tag: UInt8) -> RecordType? {
        switch tag {
        case metric: .metric
        case event: .event
        case tick: .tick
        case snapshot: .snapshot
        case session: .session
        default:
            FrameKind(rawValue: tag).flatMap { $0.isRecordable ? .frame($0) : nil }
        }
    }

    /// A fast check before the checksum.
    static func isKnown(_ tag: UInt8) -> Bool {
        (introduction...erased).contains(tag) || type(tag) != nil
    }
}
