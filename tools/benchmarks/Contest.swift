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
        /// Ours is at most so many times the best peer; less is better.
        case atMostTimes(Double)
        /// Ours is at most this; less is better.
        case atMost(Double)
        case none

        var isMoreBetter: Bool {
            if case .atLeast = self { true } else { false }
        }
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
        /// Of ours to the best peer's, a round each, rising; empty where there is no peer.
        let ratios: [Double]
        let bar: Bar

        /// The median.
        var ratio: Double? { ratios.isEmpty ? nil : ratios[ratios.count / 2] }

        var isMet: Bool {
            guard let ours = rows.first else { return false }
            return switch bar {
            case .atLeast(let wanted): ratio.map { $0 >= wanted } ?? true
            case .atMostTimes(let wanted): ratio.map { $0 <= wanted } ?? true
            case .atMost(let wanted): ours.median <= wanted
            case .none: true
            }
        }

        /// Whether even the best round is more than 10 % worse than `before`, a median of an
        /// earlier run: a machine's noise does not reach into every round. What has no peer to be
        /// held against is a count, and compared as it is.
        func isWorse(than before: Double) -> Bool {
            let slack = 0.1 * before + 0.005
            guard let ours = rows.first else { return true }
            let (low, high) = (ratios.first ?? ours.low, ratios.last ?? ours.high)
            return bar.isMoreBetter ? high < before - slack : low > before + slack
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
            name: name, unit: unit, rows: rows, ratios: ratios(values), bar: bar)
    }

    /// Ours against the best peer of the same round.
    private func ratios(_ values: [[Double]]) -> [Double] {
        let peers = values.dropFirst().filter { !$0.isEmpty }
        guard let ours = values.first, !peers.isEmpty else { return [] }
        return ours.indices.map { round in
            let found = peers.compactMap { round < $0.count ? $0[round] : nil }
            return ours[round] / ((bar.isMoreBetter ? found.max() : found.min()) ?? 1)
        }.sorted()
    }
}

extension Contest.Contender {
    /// The machine's own, in the unit of whoever is held against it.
    static func pace(_ unit: @escaping (Double) -> Double) -> Self {
        let rounds: UInt64 = 200_000
        return .init(
            name: "a round of fixed work",
            run: { unit(peers_pace(rounds) / Double(rounds)) })
    }
}

/// Keeps a value from being optimized away.
@inline(never)
func consume<Value>(_ value: Value) {}
