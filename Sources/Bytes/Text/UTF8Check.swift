/// Checks that bytes are UTF-8, without a string.
package enum UTF8Check {
    @inlinable
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count {
            guard let length = scalarBytes(at: position, in: bytes) else { return false }
            position &+= length
        }
        return true
    }

    /// The number of bytes of the scalar at `position`; `nil` if it is invalid.
    @inlinable @inline(__always)
    package static func scalarBytes(at position: Int, in bytes: Span<UInt8>) -> Int? {
        let first = bytes[position]
        if first < 0x80 { return 1 }
        return multibyteCount(first, at: position, in: bytes)
    }

    @usableFromInline
    static func multibyteCount(
        _ first: UInt8, at position: Int, in bytes: Span<UInt8>
    ) -> Int? {
        // The second byte's range excludes overlong forms, surrogates and values above U+10FFFF.
        let second: ClosedRange<UInt8>
        let count: Int
        switch first {
        case 0xC2...0xDF: (second, count) = (0x80...0xBF, 2)
        case 0xE0: (second, count) = (0xA0...0xBF, 3)
        case 0xED: (second, count) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, count) = (0x80...0xBF, 3)
        case 0xF0: (second, count) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, count) = (0x80...0xBF, 4)
        case 0xF4: (second, count) = (0x80...0x8F, 4)
        default: return nil
        }
        guard position + count <= bytes.count, second.contains(bytes[position + 1]) else {
            return nil
        }
        for index in (position + 2)..<(position + count) where bytes[index] & 0xC0 != 0x80 {
            return nil
        }
        return count
    }
}
