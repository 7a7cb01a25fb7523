import Bytes

/// Finds line feeds, eight bytes at a time.
enum LineSearch {
    /// - Returns: The index of the first line feed at or after `start`.
    static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        while position &+ 8 <= bytes.count {
            let difference = bytes.uint64(at: position) ^ 0x0A0A_0A0A_0A0A_0A0A
            // The lowest marked byte is exact. A borrow can mark only higher ones.
            let marks = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
            if marks != 0 { return position &+ marks.trailingZeroBitCount / 8 }
            position &+= 8
        }
        while position < bytes.count {
            if bytes[position] == 0x0A { return position }
            position &+= 1
        }
        return nil
    }
}
