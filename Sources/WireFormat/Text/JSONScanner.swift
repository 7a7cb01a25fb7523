import Bytes

/// Reads JSON in place, and refuses everything that RFC 8259 does not allow.
struct JSONScanner {
    /// Limit of nested brackets. A device's frame has three.
    static let depthMax = 32

    var position = 0

    /// The next byte that is not white space; `nil` at the end.
    @inline(__always)
    mutating func peek(_ text: Span<UInt8>) -> UInt8? {
        while position < text.count {
            let byte = text[position]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position &+= 1
        }
        return nil
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8, in text: Span<UInt8>) throws(FrameRefusal) {
        guard peek(text) == byte else { throw .notJSON }
        position &+= 1
    }

    /// The range of a string's bytes, and whether a `\` is among them.
    struct StringRange {
        var start: Int
        var end: Int
        var escaped = false
    }

    /// Reads a string: starts on the quote, ends after the closing one.
    @inline(__always)
    mutating func string(_ text: Span<UInt8>) throws(FrameRefusal) -> StringRange {
        position &+= 1
        var range = StringRange(start: position, end: position)
        while position &+ 8 <= text.count {
            let marks = Self.specialBytes(text.uint64(at: position))
            if marks == 0 {
                position &+= 8
                continue
            }
            position &+= marks.trailingZeroBitCount / 8
            if text[position] == UInt8(ascii: "\"") {
                range.end = position
                position &+= 1
                return range
            }
            break
        }
        return try restOfString(range, text)
    }

    /// The high bit of each byte that is a quote, a backslash, a control character or not ASCII.
    /// Only the lowest set bit is exact.
    @inline(__always)
    private static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let zeroes = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
        let control = (word &- ones &* 0x20) & ~word
        return (zeroes | control | word) & (ones &* 0x80)
    }

    private mutating func restOfString(
        _ range: StringRange, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> StringRange {
        var range = range
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                range.end = position
                position += 1
                return range
            case UInt8(ascii: "\\"):
                range.escaped = true
                try escape(text)
            case 0..<0x20: throw .notJSON
            default:
                guard let count = UTF8Check.scalarBytes(at: position, in: text) else {
                    throw .notUTF8
                }
                position += count
            }
        }
        throw .notJSON
    }

    private mutating func escape(_ text: Span<UInt8>) throws(FrameRefusal) {
        guard position + 1 < text.count else { throw .notJSON }
        guard text[position + 1] == UInt8(ascii: "u") else {
            guard JSONString.plainEscape(text[position + 1]) != nil else { throw .notJSON }
            position += 2
            return
        }
        guard JSONString.hexadecimal(text, at: position + 2) != nil else { throw .notJSON }
        position += 6
    }

    /// Skips `true`, `false` or `null`.
    mutating func word(_ word: StaticString, _ text: Span<UInt8>) throws(FrameRefusal) {
        let count = word.utf8CodeUnitCount
        guard position + count <= text.count else { throw .notJSON }
        var index = position
        for byte in word.description.utf8 {
            guard text[index] == byte else { throw .notJSON }
            index += 1
        }
        position = index
    }
}
