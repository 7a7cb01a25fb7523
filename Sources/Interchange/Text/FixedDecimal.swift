/// Numbers with a fixed count of decimals, as `printf("%.Nf")` writes them.
enum FixedDecimal {
    private static let scales: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Rounds the exact binary value, ties to even, so that a text made here and one made by C
    /// agree in every digit.
    ///
    /// - Parameters:
    ///   - value: Finite and below 2^53 once scaled; anything else is written as 0.
    ///   - decimals: 0…9.
    ///   - signedZero: Keep the minus of a negative number that rounds to nothing, as C does.
    ///   - bytes: Grows by the number.
    static func append(
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

    /// Without trailing zeros, as JSON wants it: 3.10 is "3.1", 3.00 is "3".
    static func appendShort(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
        append(value, decimals: decimals, to: &bytes)
        guard decimals > 0 else { return }
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    }

    static func append(_ value: UInt64, minimumDigits: Int = 1, to bytes: inout [UInt8]) {
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

    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(value.magnitude, to: &bytes)
    }

    static func text(_ value: Double, decimals: Int) -> String {
        var bytes: [UInt8] = []
        append(value, decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func scaledInteger(_ value: Double, scale: Double) -> UInt64 {
        let product = value * scale
        guard product.isFinite, product < 9_007_199_254_740_992 else { return 0 }
        // What the multiplication rounded away decides where the rounded product is a tie.
        let lost = (-product).addingProduct(value, scale)
        let whole = product.rounded(.down)
        let half = (product - whole) - 0.5 + lost
        let integer = UInt64(whole)
        if half > 0 { return integer + 1 }
        if half < 0 { return integer }
        return integer + integer % 2
    }
}
