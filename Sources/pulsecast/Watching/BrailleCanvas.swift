/// Braille dots on a terminal: two across and four down per character.
struct BrailleCanvas {
    let columns: Int
    let rows: Int
    private var cells: [UInt32]

    /// - Parameters:
    ///   - columns: Characters across, at least 1.
    ///   - rows: Characters down, at least 1.
    init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        cells = Array(repeating: 0, count: self.columns * self.rows)
    }

    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    /// Sets a dot; dots outside the canvas are ignored.
    mutating func dot(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        // The bit of each dot in a braille character (ISO/TR 11548-1).
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        cells[y / 4 * columns + x / 2] |= bits[y % 4][x % 2]
    }

    mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y), 1)
        for step in 0...steps {
            dot(
                start.x + (end.x - start.x) * step / steps,
                start.y + (end.y - start.y) * step / steps)
        }
    }

    /// One text per row.
    var text: [String] {
        (0..<rows).map { row in
            cells[row * columns..<(row + 1) * columns].map { bits in
                Unicode.Scalar(0x2800 + bits).map { String(Character($0)) } ?? " "
            }.joined()
        }
    }
}
