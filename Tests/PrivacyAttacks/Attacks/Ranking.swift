import Foundation

/// An attacker's log-likelihood for each candidate building.
struct Belief: Sendable {
    var logs: [Double]

    init(count: Int) {
        logs = Array(repeating: 0, count: count)
    }

    static func + (one: Belief, other: Belief) -> Belief {
        var sum = one
        for index in sum.logs.indices { sum.logs[index] += other.logs[index] }
        return sum
    }

    /// Limits the belief from below: a runner model is never exact, so no building is ruled out.
    func floored(_ floor: Double) -> Belief {
        let best = logs.max() ?? 0
        var floored = self
        for index in logs.indices { floored.logs[index] = max(logs[index] - best, floor) }
        return floored
    }

    /// Probabilities, which sum to 1.
    var probabilities: [Double] {
        let best = logs.max() ?? 0
        var weights = logs.map { exp($0 - best) }
        let sum = weights.reduce(0, +)
        for index in weights.indices { weights[index] /= sum }
        return weights
    }
}

/// An attacker's answer: one best guess and the ten likeliest buildings.
public struct Guess: Sendable {
    public var best: Spot
    public var likeliest: [Int]
    /// Probability of being right, if the attacker's belief is true.
    public var confidence: Double

    public static let nearMeters = 100.0
    public static let listLength = 10

    public func finds(_ home: Town.Building, in town: Town) -> Bool {
        best.meters(to: home.spot) <= Self.nearMeters
            || likeliest.contains { town.buildings[$0].spot == home.spot }
    }

    /// Picks the building with the most likelihood within 100 m, then the likeliest ones farther
    /// away, because nearer ones are already covered.
    ///
    /// - Parameters:
    ///   - belief: Belief about the candidates.
    ///   - candidates: The buildings in question.
    ///   - noise: Tie-breakers between 0 and 1, one for each candidate.
    /// - Returns: The attacker's answer.
    static func from(_ belief: Belief, _ candidates: Candidates, noise: [Double]) -> Guess {
        let probabilities = belief.probabilities
        let mass = candidates.nearSums(of: probabilities)
        let order = mass.indices
        let best =
            order.max { (mass[$0], noise[$0]) < (mass[$1], noise[$1]) } ?? 0
        let spot = candidates.spots.isEmpty ? Spot(east: 0, north: 0) : candidates.spots[best]
        var list: [Int] = []
        for index in order where candidates.spots[index].meters(to: spot) > nearMeters {
            if list.count == listLength, let last = list.last,
                (probabilities[last], noise[last]) >= (probabilities[index], noise[index])
            {
                continue
            }
            let at =
                list.firstIndex {
                    (probabilities[$0], noise[$0]) < (probabilities[index], noise[index])
                } ?? list.count
            list.insert(index, at: at)
            if list.count > listLength { list.removeLast() }
        }
        let sum = mass.isEmpty ? 0 : mass[best]
        return Guess(
            best: spot, likeliest: list.map { candidates.buildings[$0] },
            confidence: list.reduce(sum) { $0 + probabilities[$1] })
    }
}

/// The buildings an attacker considers, for one set of shown tracks.
struct Candidates: Sendable {
    let buildings: [Int]
    let spots: [Spot]
    /// Grid for sums over nearby buildings.
    private let west: Double
    private let south: Double
    private let columns: Int
    private let rows: Int
    private let squares: [Int]

    private static let square = 20.0

    init(_ buildings: [Int], in town: Town) {
        self.buildings = buildings
        spots = buildings.map { town.buildings[$0].spot }
        let west = (spots.map(\.east).min() ?? 0) - 1
        let south = (spots.map(\.north).min() ?? 0) - 1
        self.west = west
        self.south = south
        let columns = Int(((spots.map(\.east).max() ?? 0) - west) / Self.square) + 1
        self.columns = columns
        rows = Int(((spots.map(\.north).max() ?? 0) - south) / Self.square) + 1
        squares = spots.map {
            Int(($0.north - south) / Self.square) * columns + Int(($0.east - west) / Self.square)
        }
    }

    /// For each building, the sum over buildings within about 100 m, by squares of 20 m.
    func nearSums(of values: [Double]) -> [Double] {
        var sums = Array(repeating: 0.0, count: columns * rows)
        for (square, value) in zip(squares, values) { sums[square] += value }
        // Prefix sums along rows reduce each slice of the disc to one subtraction.
        var prefix = Array(repeating: 0.0, count: (columns + 1) * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                prefix[row * (columns + 1) + column + 1] =
                    prefix[row * (columns + 1) + column] + sums[row * columns + column]
            }
        }
        return squares.map { square in
            let (row, column) = (square / columns, square % columns)
            var sum = 0.0
            for (slice, half) in Self.disc where (0..<rows).contains(row + slice) {
                let start = (row + slice) * (columns + 1)
                sum += prefix[start + min(column + half + 1, columns)]
                sum -= prefix[start + max(column - half, 0)]
            }
            return sum
        }
    }

    /// Rows of squares whose middles lie within 100 m of a square's middle.
    private static let disc: [(slice: Int, half: Int)] = (-5...5).map {
        ($0, Int((25 - Double($0 * $0)).squareRoot()))
    }
}
