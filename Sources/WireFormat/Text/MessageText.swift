import Bytes
import SensorModel

/// Appends the JSON values of the daemon's messages to bytes.
enum MessageText {
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: String(value).utf8)
    }

    static func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        FixedDecimal.appendSeconds(microseconds: time.microseconds, to: &bytes)
    }

    /// Appends a text with quotes, and escapes `<` and DEL beside the characters that JSON
    /// requires, so that a script element can hold the text.
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
