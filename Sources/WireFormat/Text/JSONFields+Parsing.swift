extension JSONFields {
    /// Reads an object from its opening brace on, and keeps the values of known fields.
    ///
    /// It reads the whole object before any check, so that a refused frame's number is known
    /// wherever it is.
    @inline(__always)
    mutating func parse(
        _ outer: inout JSONScanner, _ text: Span<UInt8>, names: borrowing JSONFieldNames
    ) throws(FrameRefusal) {
        clear()
        // The copy lives in a register. After an error its position is not needed.
        var scanner = outer
        try scanner.expect(UInt8(ascii: "{"), in: text)
        if scanner.peek(text) == UInt8(ascii: "}") {
            outer.position = scanner.position &+ 1
            return
        }
        while true {
            guard scanner.peek(text) == UInt8(ascii: "\"") else { throw .notJSON }
            let name = try scanner.string(text)
            let field =
                name.escaped
                ? try Self.escapedField(name, text, names)
                : names.field(text, from: name.start, to: name.end)
            try scanner.expect(UInt8(ascii: ":"), in: text)
            guard let byte = scanner.peek(text) else { throw .notJSON }
            if byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10 {
                let number = try scanner.number(text)
                if field >= 0 {
                    set(field, number: number.value(in: text))
                    if field == JSONField.sentAt.rawValue { sentAt = (number.start, number.end) }
                }
            } else {
                try parseOther(byte, field, &scanner, text)
            }
            switch scanner.peek(text) {
            case UInt8(ascii: ","): scanner.position &+= 1
            case UInt8(ascii: "}"):
                outer.position = scanner.position &+ 1
                return
            default: throw .notJSON
            }
        }
    }

    private mutating func parseOther(
        _ byte: UInt8, _ field: Int, _ scanner: inout JSONScanner, _ text: Span<UInt8>
    ) throws(FrameRefusal) {
        let start = scanner.position
        guard field >= 0 else { return try scanner.skipValue(text) }
        switch byte {
        case UInt8(ascii: "\""):
            let range = try scanner.string(text)
            set(field, range.escaped ? .escapedString : .string, from: range.start, to: range.end)
        case UInt8(ascii: "t"):
            try scanner.word("true", text)
            set(field, bool: true)
        case UInt8(ascii: "f"):
            try scanner.word("false", text)
            set(field, bool: false)
        case UInt8(ascii: "n"):
            try scanner.word("null", text)
            set(field, .null, from: start, to: scanner.position)
        default:
            try scanner.skipValue(text)
            let isArray = byte == UInt8(ascii: "[")
            set(field, isArray ? .array : .object, from: start, to: scanner.position)
        }
    }

    private static func escapedField(
        _ name: JSONScanner.StringRange, _ text: Span<UInt8>, _ names: borrowing JSONFieldNames
    ) throws(FrameRefusal) -> Int {
        let bytes = try JSONString.bytes(name, in: text)
        return names.field(bytes.span, from: 0, to: bytes.count)
    }
}
