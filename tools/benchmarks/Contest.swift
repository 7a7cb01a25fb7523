import Peers

/// One figure: ours beside its peers, run in turn so that a machine that drifts drifts for all.
struct Contest {
    struct Contender {
        let name: String
        /// One run; `nil` where the peer is not installed.
        let run: () -> Double?
    }

    /// How ours must compare with the best peer, or with a number of its own.
    enum Bar {
        /// Ours is at least so many times the best peer; more is better.
        case atLeast(Double)
        /// Ours is at most this; less is better.
        case atMost(Double)
        case none
    }

    let name: String
    let unit: String
    /// Ours comes first.
    let contenders: [Contender]
    let bar: Bar

    struct Result {
        let name: String
        let unit: String
        var rows: [(name: String, median: Double, low: Double, high: Double)]
        let ratio: Double?
        let bar: Bar

        var isMet: Bool {
            guard let ours = rows.first else { return false }
            return switch bar {
            case .atLeast(let wanted): ratio.map { $0 >= wanted } ?? true
            case .atMost(let wanted): ours.median <= wanted
            case .none: true
            }
        }
    }

    /// - Parameter rounds: Interleaved runs, at least 1, after one of warm-up.
    /// - Returns: What each contender reached.
    func run(rounds: Int) -> Result {
        var values = [[Double]](repeating: [], count: contenders.count)
        for round in 0...rounds {
            for (place, contender) in contenders.enumerated() {
                guard let value = contender.run(), round > 0 else { continue }
                values[place].append(value)
            }
        }
        var rows: [(name: String, median: Double, low: Double, high: Double)] = []
        for (contender, found) in zip(contenders, values) where !found.isEmpty {
            let sorted = found.sorted()
            rows.append(
                (contender.name, sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]))
        }
        return Result(
            name: name, unit: unit, rows: rows, ratio: Self.ratio(values), bar: bar)
    }

    /// The median over rounds of ours against the best peer of the same round.
    private static func ratio(_ values: [[Double]]) -> Double? {
        let peers = values.dropFirst().filter { !$0.isEmpty }
        guard let ours = values.first, !peers.isEmpty else { return nil }
        let ratios = ours.indices.map { round in
            ours[round] / (peers.compactMap { round < $0.count ? $0[round] : nil }.max() ?? 1)
        }.sorted()
        return ratios[ratios.count / 2]
    }
}

/// Keeps a value from being optimised away.
@inline(never)
func consume<Value>(_ value: Value) {}
