/// The last bytes of a sealed segment: where its index is.
struct SegmentTrailer: Hashable {
    private static let magic: UInt32 = 0x5853_4C50

    var indexPosition: Int

    func encode(into bytes: inout [UInt8], at position: Int) {
        var span = bytes.mutableSpan
        LittleEndian.store(UInt64(indexPosition), in: &span, at: position)
        LittleEndian.store(Self.magic, in: &span, at: position + 8)
        let checksum = Checksum.of(span.span.extracting(position..<(position + 12)))
        LittleEndian.store(checksum, in: &span, at: position + 12)
    }

    /// `nil` for what is no trailer, as at the end of a segment that was never sealed.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count == SegmentFormat.trailerBytes,
            LittleEndian.load(UInt32.self, from: bytes, at: 8) == Self.magic,
            LittleEndian.load(UInt32.self, from: bytes, at: 12)
                == Checksum.of(bytes.extracting(first: 12)),
            let position = Int(exactly: LittleEndian.load(UInt64.self, from: bytes, at: 0))
        else { return nil }
        indexPosition = position
    }

    init(indexPosition: Int) {
        self.indexPosition = indexPosition
    }
}
