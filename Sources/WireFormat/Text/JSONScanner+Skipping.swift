extension JSONScanner {
    /// Skips any value and checks its form.
    mutating func skipValue(_ text: Span<UInt8>) throws(FrameRefusal) {
        // One bit for each open bracket, the innermost lowest: 1 is an object.
        var objects: UInt64 = 0
        var depth = 0
        while true {
            guard let byte = peek(text) else { throw .notJSON }
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard depth < Self.depthMax else { throw .nestedTooDeep }
                position += 1
                depth += 1
                let isObject = byte == UInt8(ascii: "{")
                objects = objects << 1 | (isObject ? 1 : 0)
                guard peek(text) == byte + 2 else {
                    if isObject { try skipKey(text) }
                    continue
                }
                position += 1
                depth -= 1
                objects >>= 1
            } else {
                try skipScalar(byte, text)
            }
            guard try skipEnds(&objects, &depth, text) else { return }
        }
    }

    /// Closes brackets after a value, up to the next comma.
    ///
    /// - Returns: Whether another value follows.
    private mutating func skipEnds(
        _ objects: inout UInt64, _ depth: inout Int, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> Bool {
        while depth > 0 {
            let isObject = objects & 1 == 1
            switch peek(text) {
            case UInt8(ascii: ","):
                position += 1
                if isObject { try skipKey(text) }
                return true
            case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
                position += 1
                depth -= 1
                objects >>= 1
            default: throw .notJSON
            }
        }
        return false
    }

    private mutating func skipKey(_ text: Span<UInt8>) throws(FrameRefusal) {
        guard peek(text) == UInt8(ascii: "\"") else { throw .notJSON }
        _ = try string(text)
        try expect(UInt8(ascii: ":"), in: text)
    }

    private mutating func skipScalar(
        _ byte: UInt8, _ text: Span<UInt8>
    ) throws(FrameRefusal) {
        switch byte {
        case UInt8(ascii: "\""): _ = try string(text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number(text)
        case UInt8(ascii: "t"): try word("true", text)
        case UInt8(ascii: "f"): try word("false", text)
        case UInt8(ascii: "n"): try word("null", text)
        default: throw .notJSON
        }
    }
}
