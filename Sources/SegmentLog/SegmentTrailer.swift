/// The last bytes of a sealed segment, with the position of its index.
struct SegmentTrailer: Hashable {
    private static let magic: UInt32 = 0x5853_4C50

    var indexPosition: Int
    /// Number of erasures in place: distinguishes two files with the same name.
    var erasures: UInt32

    func encode(into bytes: inout [UInt8], at position: Int) {
        var span = bytes.mutableSpan
        LittleEndian.store(UInt32(indexPosition), in: &span, at: position)
        LittleEndian.store(erasures, in: &span, at: position + 4)
        LittleEndian.store(Self.magic, in: &span, at: position + 8)
        let checksum = Checksum.of(span.span.extracting(position..<(position + 12)))
        LittleEndian.store(checksum, in: &span, at: position + 12)
    }

    /// `nil` for bytes that are no trailer, as at the end of an unsealed segment.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count == SegmentFormat.trailerBytes,
            LittleEndian.load(UInt32.self, from: bytes, at: 8) == Self.magic,
            LittleEndian.load(UInt32.self, from: bytes, at: 12)
                == Checksum.of(bytes.extracting(first: 12))
        else { return nil }
        indexPosition = Int(LittleEndian.load(UInt32.self, from: bytes, at: 0))
        erasures = LittleEndian.load(UInt32.self, from: bytes, at: 4)
    }

    init(indexPosition: Int, erasures: UInt32) {
        self.indexPosition = indexPosition
        self.erasures = erasures
    }
}
