/// Two analyses side by side: of one recording by two versions, or of two recordings of one run.
public struct AnalysisComparison: Sendable {
    /// A figure of both summaries; `nil`: one of them has no value.
    public struct Figure: Hashable, Sendable {
        public var name: String
        public var first: Double?
        public var second: Double?
    }

    /// How far one quantity's two series are apart.
    public struct Distance: Hashable, Sendable {
        public var quantity: AnalysisReport.Quantity
        /// Seconds in which both have a value.
        public var seconds = 0
        /// Mean of the absolute differences; 0 without a second in common.
        public var mean = 0.0
        /// The difference of largest size, second less first.
        public var largest = 0.0
        /// Its time in the first recording, seconds; `nil`: there is no difference.
        public var largestAt: Double?
        /// Seconds in which only one of them has a value.
        public var onlyFirst = 0
        public var onlySecond = 0

        public var isNone: Bool { largestAt == nil && onlyFirst == 0 && onlySecond == 0 }
    }

    /// Figures that at least one has.
    public let figures: [Figure]
    /// Quantities that at least one has.
    public let distances: [Distance]
    /// Pauses that overlap none of the other's, in seconds of the first recording.
    public let pausesOnlyInFirst: [AnalysisReport.Pause]
    public let pausesOnlyInSecond: [AnalysisReport.Pause]
    /// Seconds of each kilometer that both have: first, second.
    public let splits: [(Double, Double)]

    /// - Parameters:
    ///   - first: Analysis of the first recording.
    ///   - second: Analysis of the second one.
    ///   - offsetSeconds: Time of the second recording's first record in the first recording.
    public init(_ first: AnalysisReport, _ second: AnalysisReport, offsetSeconds: Double = 0) {
        let seconds = Dictionary(
            second.figures.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let names = Set(first.figures.map(\.name))
        let added = second.figures.filter { !names.contains($0.name) }
        figures =
            first.figures.map {
                Figure(name: $0.name, first: $0.value, second: seconds[$0.name] ?? nil)
            }
            .filter { $0.first != nil || $0.second != nil }
            + added.filter { $0.value != nil }.map { Figure(name: $0.name, second: $0.value) }
        distances = Self.distances(first.series, second.series, offsetSeconds)
        let moved = second.pauses.map {
            AnalysisReport.Pause(
                start: $0.start + offsetSeconds, end: $0.end.map { $0 + offsetSeconds })
        }
        pausesOnlyInFirst = first.pauses.filter { pause in !moved.contains { $0.overlaps(pause) } }
        pausesOnlyInSecond = moved.filter { pause in
            !first.pauses.contains { $0.overlaps(pause) }
        }
        splits = Array(zip(first.splitSeconds, second.splitSeconds))
    }

    /// Whether nothing differs.
    public var isSame: Bool {
        figures.allSatisfy { $0.first == $0.second } && distances.allSatisfy(\.isNone)
            && pausesOnlyInFirst.isEmpty && pausesOnlyInSecond.isEmpty
            && splits.allSatisfy { $0.0 == $0.1 }
    }

    private static func distances(
        _ first: [AnalysisReport.Row], _ second: [AnalysisReport.Row], _ offset: Double
    ) -> [Distance] {
        var found = AnalysisReport.Quantity.allCases.map { Distance(quantity: $0) }
        // Rows are whole seconds of their own recording, so a second of one meets the nearest of
        // the other.
        let others = Dictionary(
            second.map { (Int(($0.t + offset).rounded()), $0.values) },
            uniquingKeysWith: { first, _ in first })
        let ours = Dictionary(
            first.map { (Int($0.t.rounded()), $0) }, uniquingKeysWith: { first, _ in first })
        for second in Set(others.keys).union(ours.keys).sorted() {
            let (row, other) = (ours[second], others[second] ?? [:])
            for index in found.indices {
                let quantity = found[index].quantity
                found[index].add(row?.values[quantity], other[quantity], at: Double(second))
            }
        }
        return found.filter { $0.seconds + $0.onlyFirst + $0.onlySecond > 0 }
    }
}

extension AnalysisComparison.Distance {
    fileprivate mutating func add(_ first: Double?, _ second: Double?, at t: Double) {
        switch (first, second) {
        case (nil, nil): break
        case (.some, nil): onlyFirst += 1
        case (nil, .some): onlySecond += 1
        case (let first?, let second?):
            let difference = second - first
            seconds += 1
            mean += (difference.magnitude - mean) / Double(seconds)
            guard difference.magnitude > largest.magnitude else { return }
            (largest, largestAt) = (difference, t)
        }
    }
}

extension AnalysisReport.Pause {
    fileprivate func overlaps(_ other: Self) -> Bool {
        start < other.end ?? .infinity && other.start < end ?? .infinity
    }
}
