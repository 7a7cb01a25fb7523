import SensorModel

/// The file `catalog` beside the segments. It contains the index of each sealed segment without its
/// marks, so that a start reads one small file instead of the end of every segment.
///
///     ┌───────────┬───────┬───────┬───┐
///     │ PULSECAT1 │ entry │ entry │ … │   the last entry of a segment counts
///     └───────────┴───────┴───────┴───┘
///
/// **Entry**:
///
///      0  u32  CRC-32C of: position of this entry in the file (8 bytes), bytes 4 ..< end
///      4  u32  bytes of the payload
///      8  u8   1: the segment is as follows; 2: nothing is known of it any more
///      9  u64  segment number; the only valid field of kind 2; 0: the entry is blank
///     17  the segment's header, 64 bytes
///     81  u64 bytes of the file, u64 position of its index
///     97  its index without marks: `SegmentIndex+Codec.swift`
///
/// Entries are appended. Before a segment changes, its entry is overwritten by one of kind 2, which
/// names no session that is being erased. Later the new entry overwrites it if it has the same
/// length. Otherwise it becomes blank, as do the entries of removed segments. So the file names no
/// session that was erased or that retention removed.
///
/// The segments are authoritative: they are read if the catalog is missing, damaged or outdated.
/// The catalog is never synced before the segments that it describes.
enum CatalogFile {
    static let name = "catalog"
    static let magic: [UInt8] = Array("PULSECAT1".utf8)
    static let headBytes = 8
    static let fixedBytes = 97

    /// Content of a catalog.
    struct Content {
        var entries: [UInt64: SegmentEntry] = [:]
        /// Positions of ``entries`` and of the entries that they replaced. `end` is set only if the
        /// whole file is valid.
        var state = CatalogState()
    }

    static func append(_ entry: SegmentEntry, to bytes: inout [UInt8], from start: Int) {
        guard let header = entry.header else { return }
        var index = entry.index
        index.marks = []
        let encoded = index.encoded()
        var payload = [UInt8](repeating: 0, count: fixedBytes - headBytes)
        payload[0] = 1
        var span = payload.mutableSpan
        LittleEndian.store(entry.number, in: &span, at: 1)
        header.encode(into: &span, at: 9)
        LittleEndian.store(UInt64(entry.bytes), in: &span, at: 73)
        LittleEndian.store(UInt64(entry.recordsEnd), in: &span, at: 81)
        append(payload + encoded, to: &bytes, from: start)
    }

    /// - Parameter place: Position of an entry in the file.
    /// - Returns: A blank entry of the same length.
    static func blank(_ place: Range<Int>) -> [UInt8] {
        var payload = [UInt8](repeating: 0, count: place.count - headBytes)
        payload[0] = 2
        var bytes: [UInt8] = []
        append(payload, to: &bytes, from: place.lowerBound)
        return bytes
    }

    /// Encodes an entry that makes a segment unknown and contains nothing of `sessions`.
    ///
    /// - Parameters:
    ///   - entry: The bytes of the old entry.
    ///   - number: The segment's number.
    ///   - position: The entry's position in the file.
    ///   - sessions: Sessions that must not appear in the new entry.
    /// - Returns: Bytes of the same length, which replace the old entry.
    static func voided(
        _ entry: [UInt8], of number: UInt64, at position: Int, without sessions: Set<SessionID>
    ) -> [UInt8] {
        var payload = Array(entry.dropFirst(headBytes))
        payload[0] = 2
        var span = payload.mutableSpan
        LittleEndian.store(number, in: &span, at: 1)
        SegmentIndex.void(&payload, at: fixedBytes - headBytes, without: sessions)
        var bytes: [UInt8] = []
        append(payload, to: &bytes, from: position)
        return bytes
    }

    /// Appends an entry to `bytes`, which are written to the file at `start`.
    private static func append(_ payload: [UInt8], to bytes: inout [UInt8], from start: Int) {
        let place = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: headBytes))
        bytes += payload
        var span = bytes.mutableSpan
        LittleEndian.store(UInt32(payload.count), in: &span, at: place + 4)
        let checksum = checksum(bytes.span, at: place, position: start + place)
        span = bytes.mutableSpan
        LittleEndian.store(checksum, in: &span, at: place)
    }

    static func checksum(_ bytes: Span<UInt8>, at place: Int, position: Int) -> UInt32 {
        var checksum = Checksum.start
        checksum.feed(UInt64(position))
        let count = Int(LittleEndian.load(UInt32.self, from: bytes, at: place + 4))
        checksum.feed(bytes.extracting((place + 4)..<(place + headBytes + count)))
        return checksum.final
    }
}
