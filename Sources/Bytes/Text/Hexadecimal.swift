/// Bytes and numbers as hexadecimal digits, in lower case.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Parameter bytes: Any number of bytes.
    /// - Returns: Two digits a byte.
    package static func text(of bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            text.append(digits[Int(bytes[index] >> 4)])
            text.append(digits[Int(bytes[index] & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func text(of bytes: some Sequence<UInt8>) -> String {
        text(of: Array(bytes).span)
    }

    /// - Parameter number: A number of any width.
    /// - Returns: As many digits as its width has.
    package static func text(of number: some FixedWidthInteger & UnsignedInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
    }

    /// - Parameter digits: Digits in any case.
    /// - Returns: Their bytes; `nil` for an odd number of digits, or for another character.
    package static func bytes(of digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            if let before = high { bytes.append(before << 4 | UInt8(value)) }
            high = high == nil ? UInt8(value) : nil
        }
        return bytes
    }
}
