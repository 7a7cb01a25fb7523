/// The digits at the start of eight bytes of text, all at once: how many differs from number to
/// number, and a loop over them would be mispredicted for most.
struct EightDigits {
    /// 0…8.
    let count: Int
    let value: UInt64

    private static let powers: InlineArray<9, UInt64> = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]

    /// 10 to the ``count``.
    @inline(__always)
    var scale: UInt64 { Self.powers[count] }

    /// - Parameter word: The first character in the lowest byte.
    @inline(__always)
    init(_ word: UInt64) {
        let digits = word ^ 0x3030_3030_3030_3030
        // A byte above 9 gets its high bit; a carry only reaches bytes behind it.
        let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
        count = others.trailingZeroBitCount / 8
        // Leading zeros take the place of the missing ones. (Shifted in two steps: by 64 in one
        // would be by 0.)
        let unused = UInt64(8 &- count) &* 4
        let padded = (digits &<< unused) &<< unused
        // Pairs, then fours, then all: each multiplication adds neighbours at their weights.
        let pairs = padded &* 10 &+ (padded &>> 8)
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let high = (pairs & mask) &* 0x000F_4240_0000_0064
        let low = ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001
        value = (high &+ low) &>> 32
    }
}
