import Bytes
import SensorModel

/// Builds text as bytes.
struct TextBytes {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: Approximate bytes of the whole text, which avoids copies as it grows.
    init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    mutating func add(_ text: String) {
        bytes += Array(text.utf8)
    }

    mutating func add(_ value: Double, decimals: Int) {
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
    }

    mutating func add(_ value: Int) {
        FixedDecimal.append(Int64(value), to: &bytes)
    }

    /// Adds a time, with milliseconds only if they are not zero.
    mutating func add(_ time: Timestamp) {
        let whole = time.microseconds % 1_000_000 == 0
        time.appendISO8601(decimals: whole ? 0 : 3, to: &bytes)
    }

    /// Adds text with XML's special characters escaped and control characters dropped.
    mutating func addXML(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): add("&amp;")
            case UInt8(ascii: "<"): add("&lt;")
            case UInt8(ascii: ">"): add("&gt;")
            case UInt8(ascii: "\""): add("&quot;")
            case UInt8(ascii: "'"): add("&apos;")
            case 0..<0x20 where byte != 0x09 && byte != 0x0A && byte != 0x0D: break
            default: bytes.append(byte)
            }
        }
    }

    /// Adds `<name>value</name>`, or nothing without a value.
    mutating func element(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return }
        add("<\(name)>")
        add(value, decimals: decimals)
        add("</\(name)>")
    }

    mutating func element(_ name: String, text: String?) {
        guard let text else { return }
        add("<\(name)>")
        addXML(text)
        add("</\(name)>")
    }

    mutating func element(_ name: String, _ time: Timestamp) {
        add("<\(name)>")
        add(time)
        add("</\(name)>")
    }
}
