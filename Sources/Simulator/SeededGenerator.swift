/// Generates the same numbers for the same seed on every machine (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a uniform number, 0 ..< 1.
    public mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number with mean 0 and standard deviation 1, within ±3.5: the sum of four uniform parts.
    public mutating func gaussian() -> Double {
        let bits = next()
        let sum =
            Int(bits & 0xFFFF) + Int(bits >> 16 & 0xFFFF) + Int(bits >> 32 & 0xFFFF)
            + Int(bits >> 48)
        return (Double(sum) / 65536 - 1.999_969_482_421_875) * 1.732_050_807_568_877_2
    }

    /// Returns whether an event of this probability happens now.
    public mutating func happens(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// Returns an independent generator, so that one sensor's draws do not change another's.
    public mutating func fork() -> SeededGenerator {
        SeededGenerator(seed: next())
    }
}
