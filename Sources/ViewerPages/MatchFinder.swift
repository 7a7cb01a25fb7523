/// One step of deflate: a byte, or a copy of bytes that lie `distance` bytes back.
enum DeflateToken: Equatable {
    case literal(UInt8)
    case copy(length: Int, distance: Int)
}

/// Finds repeated text (LZ77), with chains of equal three-byte hashes.
struct MatchFinder {
    static let lengthRange = 3...258
    static let distanceMax = 32_768
    /// Candidates tried for one match. Pages are small and compressed once, at start.
    private static let chainMax = 48
    private static let hashBits: UInt32 = 13

    private let source: [UInt8]
    private var newest: [Int]
    private var previous: [Int]

    init(source: [UInt8]) {
        self.source = source
        newest = [Int](repeating: -1, count: 1 << Int(Self.hashBits))
        previous = [Int](repeating: -1, count: source.count)
    }

    mutating func tokens() -> [DeflateToken] {
        var tokens: [DeflateToken] = []
        var position = 0
        while position < source.count {
            let match = longestMatch(at: position)
            insert(position)
            guard match.length >= Self.lengthRange.lowerBound else {
                tokens.append(.literal(source[position]))
                position += 1
                continue
            }
            // A longer match one byte later is worth the literal in between.
            if match.length < 32, longestMatch(at: position + 1).length > match.length {
                tokens.append(.literal(source[position]))
                position += 1
                continue
            }
            tokens.append(.copy(length: match.length, distance: match.distance))
            for covered in position + 1..<position + match.length { insert(covered) }
            position += match.length
        }
        return tokens
    }

    private func hash(_ position: Int) -> Int {
        let word =
            UInt32(source[position]) << 16 | UInt32(source[position + 1]) << 8
            | UInt32(source[position + 2])
        return Int((word &* 2_654_435_761) >> (32 - Self.hashBits))
    }

    private mutating func insert(_ position: Int) {
        guard position + 2 < source.count else { return }
        let slot = hash(position)
        previous[position] = newest[slot]
        newest[slot] = position
    }

    private func longestMatch(at position: Int) -> (length: Int, distance: Int) {
        var best = (length: 0, distance: 0)
        guard position + 2 < source.count else { return best }
        var candidate = newest[hash(position)]
        var tries = Self.chainMax
        while candidate >= 0, tries > 0, position - candidate <= Self.distanceMax {
            let length = commonLength(candidate, position)
            if length > best.length { best = (length, position - candidate) }
            candidate = previous[candidate]
            tries -= 1
        }
        return best
    }

    private func commonLength(_ earlier: Int, _ later: Int) -> Int {
        let bound = min(Self.lengthRange.upperBound, source.count - later)
        var length = 0
        while length < bound, source[earlier + length] == source[later + length] { length += 1 }
        return length
    }
}
