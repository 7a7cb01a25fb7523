import Bytes

/// Finds a field by its name in a few instructions.
///
/// It compares names as words: the first eight bytes, the last eight, and the eight from the ninth
/// on if the name is longer than 16 bytes. No known name is longer than 24.
struct JSONFieldNames: Sendable {
    private struct Entry {
        var head: UInt64 = 0
        var tail: UInt64 = 0
        /// Bytes 9 to 16; 0 for names of up to 16 bytes.
        var middle: UInt64 = 0
        var length = 0
        var field = -1
    }

    /// One table for all decoders.
    static let all = JSONFieldNames()

    /// Open addressing; more than four times the names, so that probes are short.
    private var entries = [Entry](repeating: Entry(), count: 256)

    private init() {
        for field in JSONField.allCases {
            let name = Array(field.name.utf8)
            let (head, tail) = Self.words(name.span, from: 0, count: name.count)
            var slot = Self.slot(head, tail)
            while entries[slot].field >= 0 { slot = (slot + 1) & 255 }
            entries[slot] = Entry(
                head: head, tail: tail, middle: Self.middle(name.span, from: 0, count: name.count),
                length: name.count, field: field.rawValue)
        }
    }

    /// - Returns: The field's number; -1 for an unknown name.
    @inline(__always)
    func field(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        let count = end &- start
        guard count > 0 else { return -1 }
        let (head, tail) = Self.words(text, from: start, count: count)
        var slot = Self.slot(head, tail)
        while entries[slot].field >= 0 {
            if entries[slot].head == head, entries[slot].tail == tail,
                entries[slot].length == count,
                entries[slot].middle == Self.middle(text, from: start, count: count)
            {
                return entries[slot].field
            }
            slot = (slot &+ 1) & 255
        }
        return -1
    }

    @inline(__always)
    private static func middle(_ text: Span<UInt8>, from start: Int, count: Int) -> UInt64 {
        count > 16 ? text.uint64(at: start &+ 8) : 0
    }

    @inline(__always)
    private static func slot(_ head: UInt64, _ tail: UInt64) -> Int {
        let mixed = (head ^ tail &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> 56)
    }

    @inline(__always)
    private static func words(
        _ text: Span<UInt8>, from start: Int, count: Int
    ) -> (head: UInt64, tail: UInt64) {
        if count >= 8 {
            return (text.uint64(at: start), text.uint64(at: start &+ count &- 8))
        }
        if start &+ 8 <= text.count {
            let mask = UInt64.max &>> UInt64(64 &- 8 &* count)
            return (text.uint64(at: start) & mask, 0)
        }
        var head: UInt64 = 0
        for index in 0..<count {
            head |= UInt64(text[start &+ index]) &<< UInt64(8 &* index)
        }
        return (head, 0)
    }
}
