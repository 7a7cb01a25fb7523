/// A canonical prefix code with limited lengths, as deflate requires.
struct HuffmanCode {
    /// Bits of each symbol; 0 for a symbol that never occurs.
    let lengths: [Int]
    /// Codes with reversed bits: deflate sends them from the highest bit.
    private let codes: [UInt32]

    /// - Parameters:
    ///   - counts: Occurrences of each symbol; at least one is not 0.
    ///   - lengthMax: Longest code allowed.
    init(counts: [Int], lengthMax: Int) {
        var scaled = counts
        var lengths = Self.lengths(of: scaled)
        // Flatter counts give shorter codes; a few rounds suffice, at a cost of a few bits.
        while (lengths.max() ?? 0) > lengthMax {
            scaled = scaled.map { $0 == 0 ? 0 : $0 / 2 + 1 }
            lengths = Self.lengths(of: scaled)
        }
        self.init(lengths: lengths)
    }

    init(lengths: [Int]) {
        self.lengths = lengths
        let longest = lengths.max() ?? 0
        var countOfLength = [Int](repeating: 0, count: longest + 1)
        for length in lengths where length > 0 { countOfLength[length] += 1 }
        var next = [UInt32](repeating: 0, count: longest + 2)
        for length in 0..<longest {
            next[length + 1] = (next[length] + UInt32(countOfLength[length])) << 1
        }
        codes = lengths.map { length in
            guard length > 0 else { return 0 }
            defer { next[length] += 1 }
            return Self.reversed(next[length], count: length)
        }
    }

    func write(_ symbol: Int, to writer: inout BitWriter) {
        writer.write(codes[symbol], count: lengths[symbol])
    }

    /// Joins the two rarest nodes until one is left; the depth of a leaf is its length.
    private static func lengths(of counts: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: counts.count)
        var leaves = counts.indices.filter { counts[$0] > 0 }
        guard leaves.count > 1 else {
            if let only = leaves.first { lengths[only] = 1 }
            return lengths
        }
        leaves.sort { (counts[$0], $0) < (counts[$1], $1) }
        var weights = leaves.map { counts[$0] }
        var parents = [Int](repeating: 0, count: 2 * leaves.count - 1)
        // Leaves and joined nodes are both created in rising order: two queues replace a heap.
        var leaf = 0
        var joined = leaves.count
        while weights.count < parents.count {
            var sum = 0
            for _ in 0..<2 {
                let takeLeaf =
                    leaf < leaves.count
                    && (joined >= weights.count || weights[leaf] <= weights[joined])
                let node = takeLeaf ? leaf : joined
                if takeLeaf { leaf += 1 } else { joined += 1 }
                parents[node] = weights.count
                sum += weights[node]
            }
            weights.append(sum)
        }
        var depths = [Int](repeating: 0, count: parents.count)
        for node in stride(from: parents.count - 2, through: 0, by: -1) {
            depths[node] = depths[parents[node]] + 1
        }
        for (node, symbol) in leaves.enumerated() { lengths[symbol] = depths[node] }
        return lengths
    }

    private static func reversed(_ code: UInt32, count: Int) -> UInt32 {
        var result: UInt32 = 0
        for bit in 0..<UInt32(count) where code >> bit & 1 == 1 {
            result |= 1 << (UInt32(count) - 1 - bit)
        }
        return result
    }
}
