extension JSONValue {
    /// - Throws: ``JSONProblem`` for anything except one value of RFC 8259, and for nesting deeper
    ///   than 32. No sender nests deeper, and a peer must not be able to exhaust the stack.
    package init(parsing bytes: [UInt8]) throws(JSONProblem) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }
}

private struct JSONReader {
    private static let depthMax = 32
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    mutating func document() throws(JSONProblem) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard index == bytes.count else { throw problem("more after the end") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONProblem) -> JSONValue {
        guard depth < Self.depthMax else { throw problem("nested too deep") }
        skipBlanks()
        guard index < bytes.count else { throw problem("the text ends too early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONProblem) -> JSONValue {
        index += 1
        var members: [JSONMember] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipBlanks()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
                throw problem("a name expected")
            }
            let name = try string()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw problem("a colon expected") }
            members.append(JSONMember(name: name, value: try value(depth: depth + 1)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw problem("a comma or } expected") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONProblem) -> JSONValue {
        index += 1
        var values: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw problem("a comma or ] expected") }
        return .array(values)
    }

    private mutating func number() throws(JSONProblem) -> JSONValue {
        let start = index
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        let digits = skipDigits()
        let leadingZero = digits.count > 1 && bytes[digits.lowerBound] == UInt8(ascii: "0")
        guard !digits.isEmpty, !leadingZero else { throw problem("a value expected") }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard !skipDigits().isEmpty else { throw problem("digits expected") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            guard !skipDigits().isEmpty else { throw problem("digits expected") }
        }
        let text = bytes[start..<index]
        if isInteger, let value = Int64(String(decoding: text, as: UTF8.self)) {
            return .integer(value)
        }
        guard let value = NumberText.double(bytes.span, start..<index) else {
            throw problem("a number that is too large")
        }
        return .number(value)
    }

    private mutating func string() throws(JSONProblem) -> String {
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

    private mutating func word(
        _ text: String, _ value: JSONValue
    ) throws(JSONProblem) -> JSONValue {
        guard bytes[index...].starts(with: text.utf8) else { throw problem("a value expected") }
        index += text.utf8.count
        return value
    }

    private mutating func skipDigits() -> Range<Int> {
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
        return start..<index
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private func problem(_ text: String) -> JSONProblem {
        JSONProblem(byte: index, problem: text)
    }
}
