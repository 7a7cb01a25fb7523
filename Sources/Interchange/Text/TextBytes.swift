import SensorModel

/// Text on its way into a file, as bytes.
struct TextBytes {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ text: String) {
        bytes += Array(text.utf8)
    }

    mutating func add(_ value: Double, decimals: Int) {
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
    }

    mutating func add(_ value: Int) {
        FixedDecimal.append(Int64(value), to: &bytes)
    }

    /// With milliseconds only where there are any.
    mutating func add(_ time: Timestamp) {
        let whole = time.microseconds % 1_000_000 == 0
        ISOTime.append(time, decimals: whole ? 0 : 3, to: &bytes)
    }

    /// What may not stand in XML is escaped or, for control characters, left out.
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

    /// `<name>value</name>`; nothing where there is no value.
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
