/// Checks UTF-8 byte by byte as it arrives, and fails at the first invalid byte.
package struct UTF8Stream: Hashable, Sendable {
    /// Continuation bytes that the current scalar still needs.
    @usableFromInline
    var missing = 0
    /// Range of the next continuation byte. It is narrower after E0, ED, F0 and F4, which excludes
    /// overlong forms, surrogates and values above U+10FFFF.
    @usableFromInline
    var next: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether the text may end here.
    @inlinable
    package var isComplete: Bool { missing == 0 }

    /// - Returns: `false` if the byte cannot follow the earlier ones.
    @inlinable @inline(__always)
    package mutating func accepts(_ byte: UInt8) -> Bool {
        if missing == 0, byte < 0x80 { return true }
        return acceptsMultibyte(byte)
    }

    @usableFromInline
    mutating func acceptsMultibyte(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard next.contains(byte) else { return false }
            missing -= 1
            next = 0x80...0xBF
            return true
        }
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)
        case 0xED: (missing, next) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, next) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, next) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
