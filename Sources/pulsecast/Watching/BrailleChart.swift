/// A line chart of braille dots.
enum BrailleChart {
    /// - Parameters:
    ///   - values: Values, oldest first; scaled to the full width.
    ///   - columns: Characters across, with the range of values beside the first and last row.
    ///   - rows: Characters down.
    /// - Returns: One text per row; none for fewer than two values.
    static func rows(_ values: [Double], columns: Int, rows: Int) -> [String] {
        guard let lowest = values.min(), let highest = values.max(), values.count > 1 else {
            return []
        }
        let labels = [" \(Int(highest))", " \(Int(lowest))"]
        let labelWidth = labels.map(\.count).max() ?? 0
        var canvas = BrailleCanvas(columns: columns - labelWidth, rows: rows)
        let span = max(highest - lowest, 1)
        var last: (x: Int, y: Int)?
        for (index, value) in values.enumerated() {
            let point = (
                x: index * (canvas.width - 1) / (values.count - 1),
                y: canvas.height - 1
                    - Int((value - lowest) / span * Double(canvas.height - 1))
            )
            canvas.line(from: last ?? point, to: point)
            last = point
        }
        return canvas.text.enumerated().map { index, text in
            let label = index == 0 ? labels[0] : index == canvas.rows - 1 ? labels[1] : ""
            return text + label.padded(to: labelWidth)
        }
    }
}

extension String {
    /// The text padded with spaces, or cut.
    func padded(to width: Int) -> String {
        count >= width
            ? String(prefix(width)) : self + String(repeating: " ", count: width - count)
    }
}
