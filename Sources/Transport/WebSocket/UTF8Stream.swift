/// Checks UTF-8 as it comes, byte by byte, and fails at the first byte that no text can hold.
struct UTF8Stream: Hashable, Sendable {
    /// Continuation bytes still to come of the scalar under way.
    private var missing = 0
    /// What the next one must lie in: narrower than usual after E0, ED, F0 and F4, which excludes
    /// overlong forms, surrogates and what is past U+10FFFF.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// - Returns: `false` when the byte cannot follow what came before.
    @inline(__always)
    mutating func accepts(_ byte: UInt8) -> Bool {
        if missing == 0, byte < 0x80 { return true }
        return acceptsMultibyte(byte)
    }

    private mutating func acceptsMultibyte(_ byte: UInt8) -> Bool {
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

    /// Of a whole text.
    static func isValid(_ bytes: [UInt8]) -> Bool {
        var stream = UTF8Stream()
        return bytes.allSatisfy { stream.accepts($0) } && stream.isComplete
    }
}
