/// The digits at the start of eight bytes of text, parsed without a loop.
///
/// Their count varies from number to number, so the branches of a loop would be mispredicted.
struct EightDigits {
    /// Number of digits, 0…8.
    let count: Int
    let value: UInt64

    private static let powers: InlineArray<9, UInt64> = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]

    /// 10 to the ``count``.
    @inline(__always)
    var scale: UInt64 { Self.powers[count] }

    /// - Parameter word: Eight characters, the first in the lowest byte.
    @inline(__always)
    init(_ word: UInt64) {
        let digits = word ^ 0x3030_3030_3030_3030
        // A byte above 9 gets its high bit; a carry only reaches the bytes after it.
        let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
        count = others.trailingZeroBitCount / 8
        // Leading zeros replace the missing digits. (Two shifts, since one shift by 64 would shift
        // by 0.)
        let unused = UInt64(8 &- count) &* 4
        let padded = (digits &<< unused) &<< unused
        // Pairs, then fours, then all: each multiplication adds neighbors with their weights.
        let pairs = padded &* 10 &+ (padded &>> 8)
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let high = (pairs & mask) &* 0x000F_4240_0000_0064
        let low = ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001
        value = (high &+ low) &>> 32
    }
}
