import Bytes
import SensorModel

/// Writes JSON into one growing array, without a tree, reflection or Foundation.
///
/// The caller writes the punctuation; this type writes numbers and text. Infinities and NaN become
/// `null`, since JSON has neither.
struct ViewerJSON {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// A copy in an array of exact size, because the writer reuses its own array.
    var copy: [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        copy.append(contentsOf: bytes)
        return copy
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// - Parameter text: Valid JSON: punctuation, keys, literals.
    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func raw(_ json: some Collection<UInt8>) {
        bytes.append(contentsOf: json)
    }

    mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude, atLeast: 1)
    }

    /// Writes a number rounded to nearest, always with `decimals` decimals.
    mutating func number(_ value: Double, decimals: Int) {
        let scaled = (value * Self.powersOfTen[decimals]).rounded()
        guard abs(scaled) < 9e18 else { return raw("null") }
        let whole = Int64(scaled)
        if whole < 0 { bytes.append(UInt8(ascii: "-")) }
        let power = UInt64(Self.powersOfTen[decimals])
        digits(whole.magnitude / power, atLeast: 1)
        guard decimals > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        digits(whole.magnitude % power, atLeast: decimals)
    }

    /// Writes cleaned text in quotes. Characters that HTML could misread become escapes.
    mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for read in text.unicodeScalars {
            guard let scalar = CleanText.clean(read) else { continue }
            switch scalar {
            case "\"": raw("\\\"")
            case "\\": raw("\\\\")
            case "<": raw("\\u003c")
            case ">": raw("\\u003e")
            case "&": raw("\\u0026")
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func digits(_ value: UInt64, atLeast count: Int) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0 || bytes.count - start < count
        bytes[start...].reverse()
    }

    private static let powersOfTen: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7]
}
