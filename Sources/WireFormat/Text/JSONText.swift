import SensorModel

/// Appends JSON values to bytes.
enum JSONText {
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Seconds with six decimals, trailing zeros left out: exact, unlike a Double's digits.
    static func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        if time.microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let magnitude = time.microseconds.magnitude
        append(Int64(magnitude / 1_000_000), to: &bytes)
        var fraction = magnitude % 1_000_000
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 100_000
        while fraction > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(fraction / unit))
            fraction %= unit
            unit /= 10
        }
    }

    /// With quotes; what JSON cannot hold is escaped, and `<` and `/` as well, so that the text
    /// may stand inside a script element.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, UInt8(ascii: "<"), 0x7F:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hexadecimal(byte >> 4))
                bytes.append(hexadecimal(byte & 15))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
