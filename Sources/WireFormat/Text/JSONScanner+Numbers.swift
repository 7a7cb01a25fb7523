import Bytes

extension JSONScanner {
    /// Reads a number: starts on a minus sign or a digit, ends after the number.
    @inline(__always)
    mutating func number(_ text: Span<UInt8>) throws(FrameRefusal) -> JSONNumber {
        var number = JSONNumber()
        number.start = position
        if text[position] == UInt8(ascii: "-") {
            number.negative = true
            position &+= 1
        }
        let whole = position
        integerDigits(text, &number)
        guard position > whole, position &- whole == 1 || text[whole] != UInt8(ascii: "0") else {
            throw .notJSON
        }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position &+= 1
            let fraction = position
            integerDigits(text, &number)
            guard position > fraction else { throw .notJSON }
            number.exponent = fraction &- position
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            try exponent(text, &number)
        }
        number.end = position
        return number
    }

    /// Reads digits into `number`; beyond 18 or 19 significant ones it only sets
    /// ``JSONNumber/truncated``.
    @inline(__always)
    private mutating func integerDigits(_ text: Span<UInt8>, _ number: inout JSONNumber) {
        while number.digits < 10_000_000_000, position &+ 8 <= text.count {
            let found = EightDigits(text.uint64(at: position))
            number.digits = number.digits &* found.scale &+ found.value
            position &+= found.count
            if found.count < 8 { return }
        }
        while position < text.count {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            if number.digits < 922_337_203_685_477_580 {
                number.digits = number.digits &* 10 &+ UInt64(digit)
            } else {
                number.truncated = true
            }
            position &+= 1
        }
    }

    private mutating func exponent(
        _ text: Span<UInt8>, _ number: inout JSONNumber
    ) throws(FrameRefusal) {
        position += 1
        guard position < text.count else { throw .notJSON }
        let negative = text[position] == UInt8(ascii: "-")
        if negative || text[position] == UInt8(ascii: "+") { position += 1 }
        let start = position
        var value = 0
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 {
            value = min(value * 10 + Int(text[position] - UInt8(ascii: "0")), 100_000)
            position += 1
        }
        guard position > start else { throw .notJSON }
        number.exponent += negative ? -value : value
    }
}
