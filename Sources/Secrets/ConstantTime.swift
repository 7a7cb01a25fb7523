public import SensorModel

/// Comparison of secrets that takes as long for a near miss as for a far one.
public enum ConstantTime {
    /// The lengths are no secret: unequal ones are told at once.
    @inline(never)
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        // Every byte is looked at, whatever the ones before it said.
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    public static func areEqual(_ left: SecretHash, _ right: SecretHash) -> Bool {
        areEqual(left.bytes, right.bytes)
    }
}
