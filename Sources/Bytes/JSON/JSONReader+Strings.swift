extension JSONReader {
    mutating func string() throws(JSONProblem) -> String {
        index += 1
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return try validated(bytes[start..<index - 1])
            case UInt8(ascii: "\\"):
                return try escapedString(from: start)
            case 0..<0x20:
                throw problem("a control character in a text")
            default:
                index += 1
            }
        }
        throw problem("an unfinished text")
    }

    private mutating func escapedString(from start: Int) throws(JSONProblem) -> String {
        var unescaped = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return try validated(unescaped[...])
            case UInt8(ascii: "\\"): unescaped += try escape()
            case 0..<0x20: throw problem("a control character in a text")
            default: unescaped.append(byte)
            }
        }
        throw problem("an unfinished text")
    }

    private mutating func escape() throws(JSONProblem) -> [UInt8] {
        guard index < bytes.count else { throw problem("an unfinished text") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw problem("an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONProblem) -> [UInt8] {
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")) {
            guard take(UInt8(ascii: "u")) else { throw problem("half a character") }
            let low = try fourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw problem("half a character") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(code) else { throw problem("half a character") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
        guard bytes.count - index >= 4 else { throw problem("an unfinished escape") }
        var code: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw problem("an unfinished escape")
            }
            code = code << 4 | UInt32(digit)
        }
        index += 4
        return code
    }

    private func validated(_ text: ArraySlice<UInt8>) throws(JSONProblem) -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw problem("bytes that are not UTF-8")
        }
        return string
    }
}
