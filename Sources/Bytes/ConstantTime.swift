/// Comparison of secrets in a time that does not depend on where they differ.
package enum ConstantTime {
    /// Unequal lengths return at once: the lengths are not secret.
    @inline(never)
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        // Every byte is compared, even after a difference.
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
