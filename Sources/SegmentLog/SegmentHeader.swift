/// Properties of a segment that are known before its first record.
struct SegmentHeader: Hashable, Sendable {
    var epoch: UInt32
    var number: UInt64
    /// Number of the segment before it, 0: none. Distinguishes a missing segment from one that
    /// never existed.
    var previous: UInt64
    var firstOffset: UInt64
    var arrivalBase: Int64
    var generation: UInt32

    /// Part of every record's checksum: a record of another segment, or of earlier content of the
    /// same block, does not parse.
    var identity: UInt64 {
        var mixed = UInt64(epoch) << 32 | UInt64(generation)
        for field in [number, previous, firstOffset, UInt64(bitPattern: arrivalBase)] {
            mixed = (mixed ^ field) &* 0x9E37_79B9_7F4A_7C15
            mixed ^= mixed >> 29
        }
        return mixed
    }

    /// Start value of the checksum of every record in this segment.
    var seed: Checksum {
        var seed = Checksum.start
        seed.feed(identity)
        return seed
    }

    var fileName: String { SegmentFormat.fileName(of: number) }

    enum Decoding: Hashable {
        case header(SegmentHeader)
        case newer(version: UInt16)
        case damaged
    }

    private static let magic: [UInt8] = Array("PULSELOG".utf8)

    func encode(into bytes: inout MutableSpan<UInt8>, at position: Int) {
        LittleEndian.copy(Self.magic.span, into: &bytes, at: position)
        LittleEndian.store(SegmentFormat.version, in: &bytes, at: position + 8)
        LittleEndian.store(UInt16(SegmentFormat.headerBytes), in: &bytes, at: position + 10)
        LittleEndian.store(epoch, in: &bytes, at: position + 12)
        LittleEndian.store(number, in: &bytes, at: position + 16)
        LittleEndian.store(previous, in: &bytes, at: position + 24)
        LittleEndian.store(firstOffset, in: &bytes, at: position + 32)
        LittleEndian.store(arrivalBase, in: &bytes, at: position + 40)
        LittleEndian.store(generation, in: &bytes, at: position + 48)
        LittleEndian.store(identity, in: &bytes, at: position + 52)
        let checksum = Checksum.of(bytes.span.extracting(position..<(position + 60)))
        LittleEndian.store(checksum, in: &bytes, at: position + 60)
    }

    /// Both copies of the encoded header.
    var bothCopies: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: SegmentFormat.recordsStart)
        var span = bytes.mutableSpan
        encode(into: &span, at: 0)
        encode(into: &span, at: SegmentFormat.headerBytes)
        return bytes
    }

    static func decode(_ bytes: Span<UInt8>) -> Decoding {
        guard bytes.count >= SegmentFormat.headerBytes else { return .damaged }
        for index in magic.indices where bytes[index] != magic[index] { return .damaged }
        let version = LittleEndian.load(UInt16.self, from: bytes, at: 8)
        let checksum = LittleEndian.load(UInt32.self, from: bytes, at: 60)
        guard checksum == Checksum.of(bytes.extracting(first: 60)) else {
            return .damaged
        }
        guard version <= SegmentFormat.version else { return .newer(version: version) }
        let header = SegmentHeader(
            epoch: LittleEndian.load(UInt32.self, from: bytes, at: 12),
            number: LittleEndian.load(UInt64.self, from: bytes, at: 16),
            previous: LittleEndian.load(UInt64.self, from: bytes, at: 24),
            firstOffset: LittleEndian.load(UInt64.self, from: bytes, at: 32),
            arrivalBase: LittleEndian.load(Int64.self, from: bytes, at: 40),
            generation: LittleEndian.load(UInt32.self, from: bytes, at: 48))
        guard header.identity == LittleEndian.load(UInt64.self, from: bytes, at: 52) else {
            return .damaged
        }
        guard
            [header.number, header.previous, header.firstOffset].allSatisfy({
                $0 <= SegmentFormat.numberMax
            }), SegmentFormat.timeRange.contains(header.arrivalBase),
            header.generation < .max / 2
        else { return .damaged }
        return .header(header)
    }
}
