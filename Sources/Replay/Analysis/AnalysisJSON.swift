/// Writes JSON of numbers and short strings. `NaN` and infinities become `null`.
struct AnalysisJSON {
    private var bytes: [UInt8] = []
    private var needsComma = false

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    mutating func object(_ body: (inout AnalysisJSON) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array<Element>(
        _ elements: [Element], _ body: (Element, inout AnalysisJSON) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(element, &self) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a name from the program: it needs no escaping.
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.description.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func number(_ name: StaticString, _ value: Double?, digits: Int) {
        key(name)
        if let value { self.value(value, digits: digits) } else { null() }
    }

    mutating func integer(_ name: StaticString, _ value: Int?) {
        key(name)
        guard let value else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    mutating func boolean(_ name: StaticString, _ value: Bool) {
        key(name)
        raw(value ? "true" : "false")
    }

    mutating func string(_ name: StaticString, _ value: StaticString) {
        key(name)
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.description.utf8)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes counts by names from outside, in order of name.
    mutating func counts(_ name: StaticString, _ counts: [String: Int]) {
        key(name)
        object { object in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                object.escaped(name)
                object.bytes.append(UInt8(ascii: ":"))
                object.bytes.append(contentsOf: count.description.utf8)
            }
        }
    }

    /// Writes a text from outside, with escapes.
    mutating func text(_ name: StaticString, _ value: String) {
        key(name)
        escaped(value)
    }

    private mutating func escaped(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func null() {
        raw("null")
    }

    /// Writes decimals without an exponent, as few as needed.
    mutating func value(_ value: Double, digits: Int) {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard scaled.magnitude < 9e15 else { return null() }
        separate()
        needsComma = true
        var whole = Int64(scaled)
        if whole < 0 {
            bytes.append(UInt8(ascii: "-"))
            whole = -whole
        }
        let unit = Int64(scale)
        bytes.append(contentsOf: (whole / unit).description.utf8)
        var rest = whole % unit
        guard rest != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var place = unit / 10
        while rest != 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / place))
            rest %= place
            place /= 10
        }
    }

    private mutating func raw(_ text: StaticString) {
        separate()
        bytes.append(contentsOf: text.description.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
