/// A Double that is a short decimal fraction, as a whole number and a scale.
struct CompactDouble {
    /// The scales of the grids of wire and metrics: 1e-7 degrees, microseconds, tenths of a beat.
    static let scales: [Double] = [0, 1, 10, 100, 1000, 1e4, 1e6, 1e7]
    /// Whole numbers up to this are exact, with space for a sign and a scale.
    private static let magnitudeMax = 9e15

    var zigzag: UInt64
    /// Index into ``scales``, from 1.
    var scale: Int

    init(zigzag: UInt64, scale: Int) {
        self.zigzag = zigzag
        self.scale = scale
    }

    /// Uses the smallest scale that restores `value` bit by bit; `nil` if there is none.
    init?(_ value: Double) {
        guard abs(value) <= Self.magnitudeMax else { return nil }
        for scale in 1..<Self.scales.count {
            let scaled = value * Self.scales[scale]
            guard abs(scaled) <= Self.magnitudeMax else { return nil }
            let whole = Int64(scaled.rounded())
            let found = CompactDouble(
                zigzag: UInt64(bitPattern: whole << 1 ^ whole >> 63), scale: scale)
            if found.value.bitPattern == value.bitPattern {
                self = found
                return
            }
        }
        return nil
    }

    var value: Double {
        let whole = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        return Double(whole) / Self.scales[scale]
    }
}
