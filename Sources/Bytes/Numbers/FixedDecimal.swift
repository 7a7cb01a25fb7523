/// Numbers with a fixed count of decimals, in the form of `printf("%.Nf")`.
package enum FixedDecimal {
    private static let scales: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Appends the exact binary value, rounded with ties to even, so that every digit equals C's.
    ///
    /// - Parameters:
    ///   - value: Finite and below 2^53 once scaled; any other value is written as 0.
    ///   - decimals: Decimals, 0…9.
    ///   - signedZero: Whether a negative number that rounds to zero keeps its minus, as in C.
    ///   - bytes: Grows by the digits.
    package static func append(
        _ value: Double, decimals: Int, signedZero: Bool = false, to bytes: inout [UInt8]
    ) {
        let scaled = scaledInteger(value.magnitude, scale: scales[decimals])
        if value.sign == .minus, scaled > 0 || signedZero { bytes.append(UInt8(ascii: "-")) }
        let unit = UInt64(scales[decimals])
        append(scaled / unit, to: &bytes)
        guard decimals > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var divisor = unit / 10
        var fraction = scaled % unit
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(fraction / divisor))
            fraction %= divisor
            divisor /= 10
        }
    }

    /// Appends a number without trailing zeros, as in JSON: 3.10 is "3.1", 3.00 is "3".
    package static func appendShort(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
        append(value, decimals: decimals, to: &bytes)
        guard decimals > 0 else { return }
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    }

    package static func append(_ value: UInt64, minimumDigits: Int = 1, to bytes: inout [UInt8]) {
        var digits = minimumDigits
        var bound: UInt64 = 1
        for _ in 0..<digits { bound *= 10 }
        while bound <= value, digits < 20 {
            digits += 1
            let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
            bound = overflow ? .max : next
        }
        let start = bytes.count
        var rest = value
        for _ in 0..<digits {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }

    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(value.magnitude, to: &bytes)
    }

    /// Appends seconds with six decimals, without trailing zeros: exact, unlike a Double's digits.
    package static func appendSeconds(microseconds: Int64, to bytes: inout [UInt8]) {
        if microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        append(microseconds.magnitude / 1_000_000, to: &bytes)
        let fraction = microseconds.magnitude % 1_000_000
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        append(fraction, minimumDigits: 6, to: &bytes)
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }

    package static func text(_ value: Double, decimals: Int) -> String {
        var bytes: [UInt8] = []
        append(value, decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func scaledInteger(_ value: Double, scale: Double) -> UInt64 {
        let product = value * scale
        guard product.isFinite, product < 9_007_199_254_740_992 else { return 0 }
        // If the rounded product is a tie, the rounding error of the multiplication decides.
        let lost = (-product).addingProduct(value, scale)
        let whole = product.rounded(.down)
        let half = (product - whole) - 0.5 + lost
        let integer = UInt64(whole)
        if half > 0 { return integer + 1 }
        if half < 0 { return integer }
        return integer + integer % 2
    }
}
