/// The text of a JSON string with its escapes resolved.
enum JSONString {
    /// - Throws: ``FrameRefusal/notUTF8`` for half a surrogate pair, which UTF-8 cannot hold.
    static func bytes(
        _ range: JSONScanner.StringRange, in text: Span<UInt8>
    ) throws(FrameRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.end - range.start)
        var position = range.start
        while position < range.end {
            guard text[position] == UInt8(ascii: "\\") else {
                bytes.append(text[position])
                position += 1
                continue
            }
            if let plain = plainEscape(text[position + 1]) {
                bytes.append(plain)
                position += 2
            } else {
                let scalar = try scalar(text, &position, end: range.end)
                bytes.append(contentsOf: String(Character(scalar)).utf8)
            }
        }
        return bytes
    }

    /// Reads an escape `\uXXXX` at `position`, and the second escape of a surrogate pair.
    private static func scalar(
        _ text: Span<UInt8>, _ position: inout Int, end: Int
    ) throws(FrameRefusal) -> Unicode.Scalar {
        guard let first = hexadecimal(text, at: position + 2) else { throw .notJSON }
        position += 6
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, position + 6 <= end, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u"),
            let second = hexadecimal(text, at: position + 2), (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .notUTF8 }
        position += 6
        return scalar
    }

    /// The byte that `\` and `letter` mean; `nil` for `u` and for an invalid escape.
    static func plainEscape(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The value of four hexadecimal digits at `position`; `nil` for anything else.
    static func hexadecimal(_ text: Span<UInt8>, at position: Int) -> UInt32? {
        guard position + 4 <= text.count else { return nil }
        var value: UInt32 = 0
        for index in position..<(position + 4) {
            guard let digit = Character(UnicodeScalar(text[index])).hexDigitValue else {
                return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
