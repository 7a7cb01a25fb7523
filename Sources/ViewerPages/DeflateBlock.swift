/// Compresses a whole text as one deflate block with its own codes (RFC 1951, 3.2.7).
struct DeflateBlock {
    private static let endOfBlock = 256
    /// The order in which lengths of the code for lengths are sent.
    private static let lengthCodeOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]
    private static let lengthBases = DeflateBlock.bases(
        from: 3, extraBits: [0, 0, 0, 0, 0, 0, 0, 0] + (8..<28).map { $0 / 4 - 1 }, last: 258)
    private static let distanceBases = DeflateBlock.bases(
        from: 1, extraBits: [0, 0, 0, 0] + (4..<30).map { $0 / 2 - 1 }, last: nil)

    private let tokens: [DeflateToken]
    private let symbols: HuffmanCode
    private let distances: HuffmanCode

    init(source: [UInt8]) {
        var finder = MatchFinder(source: source)
        tokens = finder.tokens()
        var symbolCounts = [Int](repeating: 0, count: 286)
        var distanceCounts = [Int](repeating: 0, count: 30)
        symbolCounts[Self.endOfBlock] = 1
        for token in tokens {
            switch token {
            case .literal(let byte): symbolCounts[Int(byte)] += 1
            case .copy(let length, let distance):
                symbolCounts[257 + Self.index(of: length, in: Self.lengthBases)] += 1
                distanceCounts[Self.index(of: distance, in: Self.distanceBases)] += 1
            }
        }
        // A block without copies still needs one distance code.
        if distanceCounts.allSatisfy({ $0 == 0 }) { distanceCounts[0] = 1 }
        symbols = HuffmanCode(counts: symbolCounts, lengthMax: 15)
        distances = HuffmanCode(counts: distanceCounts, lengthMax: 15)
    }

    func write(to writer: inout BitWriter) {
        writer.write(0b101, count: 3)  // Last block, own codes.
        writeCodes(to: &writer)
        for token in tokens { write(token, to: &writer) }
        symbols.write(Self.endOfBlock, to: &writer)
    }

    private func write(_ token: DeflateToken, to writer: inout BitWriter) {
        switch token {
        case .literal(let byte): symbols.write(Int(byte), to: &writer)
        case .copy(let length, let distance):
            let lengthIndex = Self.index(of: length, in: Self.lengthBases)
            symbols.write(257 + lengthIndex, to: &writer)
            let base = Self.lengthBases[lengthIndex]
            writer.write(UInt32(length - base.first), count: base.extraBits)
            let distanceIndex = Self.index(of: distance, in: Self.distanceBases)
            distances.write(distanceIndex, to: &writer)
            let far = Self.distanceBases[distanceIndex]
            writer.write(UInt32(distance - far.first), count: far.extraBits)
        }
    }

    /// Writes the lengths of both codes, themselves coded; runs of zeros are shortened.
    private func writeCodes(to writer: inout BitWriter) {
        let lengths = symbols.lengths + distances.lengths
        let runs = Self.runs(of: lengths)
        var counts = [Int](repeating: 0, count: 19)
        for run in runs { counts[run.symbol] += 1 }
        let code = HuffmanCode(counts: counts, lengthMax: 7)
        var sent = Self.lengthCodeOrder.count
        while sent > 4, code.lengths[Self.lengthCodeOrder[sent - 1]] == 0 { sent -= 1 }
        writer.write(UInt32(symbols.lengths.count - 257), count: 5)
        writer.write(UInt32(distances.lengths.count - 1), count: 5)
        writer.write(UInt32(sent - 4), count: 4)
        for symbol in Self.lengthCodeOrder.prefix(sent) {
            writer.write(UInt32(code.lengths[symbol]), count: 3)
        }
        for run in runs {
            code.write(run.symbol, to: &writer)
            writer.write(UInt32(run.extra), count: run.extraBits)
        }
    }

    private typealias Run = (symbol: Int, extra: Int, extraBits: Int)

    private static func runs(of lengths: [Int]) -> [Run] {
        var runs: [Run] = []
        var position = 0
        while position < lengths.count {
            let value = lengths[position]
            let count = lengths[position...].prefix { $0 == value }.count
            if value == 0, count >= 3 {
                let taken = min(count, 138)
                runs.append(taken < 11 ? (17, taken - 3, 3) : (18, taken - 11, 7))
                position += taken
            } else if value != 0, count >= 4 {
                let repeated = min(count - 1, 6)
                runs.append((value, 0, 0))
                runs.append((16, repeated - 3, 2))
                position += 1 + repeated
            } else {
                runs.append((value, 0, 0))
                position += 1
            }
        }
        return runs
    }

    private typealias Base = (first: Int, extraBits: Int)

    private static func bases(from first: Int, extraBits: [Int], last: Int?) -> [Base] {
        var next = first
        var bases: [Base] = extraBits.map { bits in
            defer { next += 1 << bits }
            return (next, bits)
        }
        // The longest copy has a symbol of its own.
        if let last { bases.append((last, 0)) }
        return bases
    }

    private static func index(of value: Int, in bases: [Base]) -> Int {
        (bases.firstIndex { $0.first > value } ?? bases.count) - 1
    }
}
