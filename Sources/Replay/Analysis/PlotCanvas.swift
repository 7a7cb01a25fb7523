/// Draws panels as SVG, one above the other.
struct PlotCanvas {
    private enum Size {
        static let width = 1200.0
        static let left = 70.0
        static let right = 20.0
        static let top = 50.0
        static let panel = 160.0
        static let gap = 40.0
        /// Marks on each axis.
        static let ticks = 5
    }

    private static let style = """
        <style>
        svg{background:#fff;font:12px sans-serif}
        .frame{fill:none;stroke:#999}
        .pause{fill:#ddd}
        .band{fill:#2b6cb0;opacity:.2}
        .share{fill:none;stroke:#d69e2e}
        .estimate{fill:none;stroke:#2b6cb0;stroke-width:1.5}
        .other{fill:none;stroke:#2f855a;stroke-width:1.5}
        .truth{fill:none;stroke:#c53030;stroke-dasharray:5 3}
        </style>

        """

    private let seconds: Double
    private var body: String
    private var top = 0.0
    private var range = 0.0...1.0

    init(title: String, panels: Int, seconds: Double) {
        self.seconds = seconds
        let height = Size.top + Double(panels) * (Size.panel + Size.gap)
        body =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Size.width)\""
            + " height=\"\(height)\">\n" + Self.style
        text(title, x: Size.left, y: 20, anchor: "start")
    }

    var document: String { body + "</svg>\n" }

    mutating func draw(_ panel: PlotPanel, at index: Int, pauses: [RecordingAnalysis.Pause]) {
        top = Size.top + Double(index) * (Size.panel + Size.gap)
        range = panel.range
        body += "<g>\n"
        for pause in pauses {
            let end = pause.end ?? seconds
            rectangle("pause", from: x(pause.start), to: x(end))
        }
        rectangle("frame", from: x(0), to: x(seconds))
        text(panel.title, x: Size.left, y: top - 6, anchor: "start")
        drawTicks()
        drawBand(panel.band)
        let fifth = (range.upperBound - range.lowerBound) / 5
        draw("share", panel.share.map { ($0.t, $0.value.map { range.lowerBound + fifth * $0 }) })
        for line in panel.lines { draw(line.style.rawValue, line.points) }
        body += "</g>\n"
    }

    private mutating func drawTicks() {
        for tick in 0...Size.ticks {
            let share = Double(tick) / Double(Size.ticks)
            let value = range.lowerBound + share * (range.upperBound - range.lowerBound)
            text(Self.decimal(value), x: Size.left - 6, y: y(value) + 4, anchor: "end")
            let t = share * seconds
            text(Self.decimal(t) + " s", x: x(t), y: top + Size.panel + 15, anchor: "middle")
        }
    }

    private mutating func drawBand(_ band: [(t: Double, low: Double, high: Double)]) {
        guard !band.isEmpty else { return }
        let upper = band.map { place($0.t, $0.high) }
        let lower = band.reversed().map { place($0.t, $0.low) }
        body += "<polygon class=\"band\" points=\"\((upper + lower).joined(separator: " "))\"/>\n"
    }

    /// Draws one polyline for each stretch without a missing value.
    private mutating func draw(_ name: String, _ points: [(t: Double, value: Double?)]) {
        for stretch in points.split(whereSeparator: { $0.value == nil }) {
            let places = stretch.map { place($0.t, $0.value ?? 0) }
            body +=
                "<polyline class=\"\(name)\" points=\"\(places.joined(separator: " "))\"/>\n"
        }
    }

    private mutating func rectangle(_ name: String, from left: Double, to right: Double) {
        body +=
            "<rect class=\"\(name)\" x=\"\(Self.decimal(left))\" y=\"\(Self.decimal(top))\""
            + " width=\"\(Self.decimal(max(0, right - left)))\" height=\"\(Size.panel)\"/>\n"
    }

    private mutating func text(_ words: String, x: Double, y: Double, anchor: String) {
        body +=
            "<text x=\"\(Self.decimal(x))\" y=\"\(Self.decimal(y))\" text-anchor=\"\(anchor)\">"
            + Self.escaped(words) + "</text>\n"
    }

    private func place(_ t: Double, _ value: Double) -> String {
        Self.decimal(x(t)) + "," + Self.decimal(y(value))
    }

    private func x(_ t: Double) -> Double {
        Size.left + t / seconds * (Size.width - Size.left - Size.right)
    }

    private func y(_ value: Double) -> Double {
        let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        return top + Size.panel * (1 - share)
    }

    private static func decimal(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded.magnitude < 1e15 && rounded == rounded.rounded()
            ? String(Int(rounded)) : String(rounded)
    }

    private static func escaped(_ words: String) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case _ where scalar.value < 0x20: text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
