/// The form of the file.
extension ErasureIntent {
    private static let magic: [UInt8] = Array("PULSERAS".utf8)
    private static let fixedBytes = 76

    func encoded() -> [UInt8] {
        let bodyBytes = changes.reduce(0) { $0 + Self.changeHeadBytes + $1.content.count }
        var bytes = [UInt8](repeating: 0, count: Self.fixedBytes + bodyBytes)
        var span = bytes.mutableSpan
        LittleEndian.copy(Self.magic.span, into: &span, at: 0)
        header.encode(into: &span, at: Self.magic.count)
        LittleEndian.store(UInt32(changes.count), in: &span, at: 72)
        var place = Self.fixedBytes
        for change in changes {
            LittleEndian.store(UInt32(change.position), in: &span, at: place)
            LittleEndian.store(UInt32(change.bytes), in: &span, at: place + 4)
            LittleEndian.store(UInt32(change.content.count), in: &span, at: place + 8)
            place += Self.changeHeadBytes
            LittleEndian.copy(change.content.span, into: &span, at: place)
            place += change.content.count
        }
        Checksum.seal(&bytes)
        return bytes
    }

    /// `nil` for a file that was not completely written.
    init?(decoding bytes: [UInt8]) {
        let span = bytes.span
        guard let end = Checksum.sealedBytes(of: bytes), end >= Self.fixedBytes,
            bytes.starts(with: Self.magic),
            case .header(let header) = SegmentHeader.decode(span.extracting(8..<72))
        else { return nil }
        var changes: [Change] = []
        var (place, position) = (Self.fixedBytes, 0)
        for _ in 0..<LittleEndian.load(UInt32.self, from: span, at: 72) {
            let content = place + Self.changeHeadBytes
            guard content <= end else { return nil }
            let numbers = [0, 4, 8].map {
                Int(LittleEndian.load(UInt32.self, from: span, at: place + $0))
            }
            guard numbers[0] >= position, numbers[1] >= numbers[2], content + numbers[2] <= end
            else { return nil }
            place = content + numbers[2]
            position = numbers[0] + numbers[1]
            changes.append(
                Change(
                    position: numbers[0], bytes: numbers[1],
                    content: Array(bytes[content..<place])))
        }
        guard place == end else { return nil }
        self.init(header: header, changes: changes)
    }
}
