/// Builds one JSON text, keys in the order of the calls; a `nil` value is omitted with its key.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func object(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key, UInt8(ascii: "{"))
        body(&self)
        end(UInt8(ascii: "}"))
    }

    package mutating func array(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) {
        begin(key, UInt8(ascii: "["))
        body(&self)
        end(UInt8(ascii: "]"))
    }

    package mutating func string(_ key: String? = nil, _ value: String?) {
        guard let value else { return }
        prefix(key)
        quote(value)
    }

    package mutating func bool(_ key: String? = nil, _ value: Bool?) {
        guard let value else { return }
        prefix(key)
        bytes += Array((value ? "true" : "false").utf8)
    }

    package mutating func integer(_ key: String? = nil, _ value: Int64?) {
        guard let value else { return }
        prefix(key)
        FixedDecimal.append(value, to: &bytes)
    }

    package mutating func null(_ key: String? = nil) {
        prefix(key)
        bytes += Array("null".utf8)
    }

    /// Appends at most `decimals` digits after the point; leaves out values that are not finite.
    package mutating func number(_ key: String? = nil, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return }
        prefix(key)
        FixedDecimal.appendShort(value, decimals: decimals, to: &bytes)
    }

    /// Appends the shortest digits that restore the same 32-bit float.
    package mutating func exact(_ key: String? = nil, _ value: Float) {
        guard value.isFinite else { return }
        prefix(key)
        bytes += Array(value.description.utf8)
    }

    /// Appends a time in seconds with up to six decimals; it is exact, unlike a Double's digits.
    package mutating func seconds(_ key: String? = nil, microseconds: Int64?) {
        guard let microseconds else { return }
        prefix(key)
        FixedDecimal.appendSeconds(microseconds: microseconds, to: &bytes)
    }

    /// Ends one text in a sequence of texts.
    package mutating func newline() {
        bytes.append(0x0A)
        needsComma = false
    }

    package mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    private mutating func begin(_ key: String?, _ bracket: UInt8) {
        prefix(key)
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func prefix(_ key: String?) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if let key {
            quote(key)
            bytes.append(UInt8(ascii: ":"))
        }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes += Array("\\u00".utf8)
                bytes.append(Self.digit(byte >> 4))
                bytes.append(Self.digit(byte & 0x0F))
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
