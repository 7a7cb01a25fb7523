/// A line chart of braille dots: two columns and four rows a character.
enum BrailleChart {
    /// - Parameters:
    ///   - values: Oldest first; the newest fill the width.
    ///   - columns: Characters across.
    ///   - rows: Characters down.
    /// - Returns: One text a row, with the range of values beside the first and the last.
    static func rows(_ values: [Double], columns: Int, rows: Int) -> [String] {
        let shown = Array(values.suffix(columns * 2))
        guard let lowest = shown.min(), let highest = shown.max(), shown.count > 1 else {
            return []
        }
        let height = rows * 4
        let span = max(highest - lowest, 1)
        var cells = [[UInt32]](repeating: [UInt32](repeating: 0, count: columns), count: rows)
        for (x, value) in shown.enumerated() {
            let y = height - 1 - Int((value - lowest) / span * Double(height - 1))
            cells[y / 4][x / 2] |= dot(x: x % 2, y: y % 4)
        }
        return cells.enumerated().map { index, row in
            let text = row.map { bits in
                Unicode.Scalar(0x2800 + bits).map { String(Character($0)) } ?? " "
            }.joined()
            if index == 0 { return text + " \(Int(highest))" }
            return index == rows - 1 ? text + " \(Int(lowest))" : text
        }
    }

    /// The bit of one dot in a braille character (ISO/TR 11548-1).
    private static func dot(x: Int, y: Int) -> UInt32 {
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        return bits[y][x]
    }
}
