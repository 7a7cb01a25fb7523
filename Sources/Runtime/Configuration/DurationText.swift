/// Durations in typed notation: `250ms`, `1s`, `5m`, `24h`, `7d`.
public enum DurationText {
    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
    ]

    /// The duration in seconds; `nil` unless `text` is a number of at least 0 followed by a unit.
    public static func seconds(_ text: String) -> Double? {
        for (suffix, unit) in units where text.hasSuffix(suffix) {
            let number = text.dropLast(suffix.count)
            let isPlain = number.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
            }
            guard isPlain, let value = Double(number) else { continue }
            return value * unit
        }
        return nil
    }

    /// The duration in the largest unit that gives a whole number.
    public static func text(seconds: Double) -> String {
        for (suffix, unit) in units.reversed() {
            let value = seconds / unit
            if value >= 1, value == value.rounded(), value < 1e15 {
                return "\(Int(value))\(suffix)"
            }
        }
        return "\(seconds)s"
    }
}
