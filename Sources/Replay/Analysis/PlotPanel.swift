/// One quantity over time.
struct PlotPanel {
    enum Style: String {
        case estimate, other, truth
    }

    struct Line {
        var name: String
        var style: Style
        /// Points: seconds, value; `nil` breaks the line.
        var points: [(t: Double, value: Double?)]
    }

    var title: String
    var lines: [Line]
    /// Band: seconds, lower and upper bound.
    var band: [(t: Double, low: Double, high: Double)] = []
    /// Share: seconds, 0…1; drawn in the lowest fifth of the panel.
    var share: [(t: Double, value: Double?)] = []

    private var values: [Double] { lines.flatMap { $0.points.compactMap(\.value) } }

    var isEmpty: Bool { values.isEmpty }

    /// Range of all lines and the band, never empty.
    var range: ClosedRange<Double> {
        let all = values + band.flatMap { [$0.low, $0.high] }
        let low = all.min() ?? 0
        let high = all.max() ?? 1
        return low < high ? low...high : (low - 1)...(high + 1)
    }
}
