extension JSONValue {
    /// - Throws: ``JSONProblem`` for anything except one value of RFC 8259, and for nesting deeper
    ///   than 32. No sender nests deeper, and a peer must not be able to exhaust the stack.
    package init(parsing bytes: [UInt8]) throws(JSONProblem) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }
}

struct JSONReader {
    private static let depthMax = 32
    let bytes: [UInt8]
    var index = 0

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

    mutating func take(_ byte: UInt8) -> Bool {
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

    func problem(_ text: String) -> JSONProblem {
        JSONProblem(byte: index, problem: text)
    }
}
