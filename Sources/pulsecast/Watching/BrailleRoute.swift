import Foundation

/// A route to scale in braille dots, with a ring of dots at the runner's position.
enum BrailleRoute {
    /// - Parameters:
    ///   - points: Degrees, oldest first.
    ///   - columns: Characters across.
    ///   - rows: Characters down.
    /// - Returns: One text per row; none for fewer than two points.
    static func rows(
        _ points: [(latitude: Double, longitude: Double)], columns: Int, rows: Int
    ) -> [String] {
        guard points.count > 1, let last = points.last,
            let south = points.map(\.latitude).min(), let north = points.map(\.latitude).max(),
            let west = points.map(\.longitude).min(), let east = points.map(\.longitude).max()
        else { return [] }
        var canvas = BrailleCanvas(columns: columns, rows: rows)
        // A degree of longitude is shorter than one of latitude; a dot is about as wide as high.
        let narrow = cos((south + north) / 2 * .pi / 180)
        let scale = min(
            Double(canvas.width - 5) / max((east - west) * narrow, 1e-6),
            Double(canvas.height - 5) / max(north - south, 1e-6))
        func place(_ point: (latitude: Double, longitude: Double)) -> (x: Int, y: Int) {
            let x = (point.longitude - (west + east) / 2) * narrow * scale
            let y = ((south + north) / 2 - point.latitude) * scale
            return (
                Int((x + Double(canvas.width) / 2).rounded()),
                Int((y + Double(canvas.height) / 2).rounded())
            )
        }
        var before = place(points[0])
        for point in points.dropFirst() {
            let next = place(point)
            canvas.line(from: before, to: next)
            before = next
        }
        let runner = place(last)
        for (x, y) in [
            (-2, -1), (-2, 0), (-2, 1), (2, -1), (2, 0), (2, 1), (-1, -2), (0, -2),
            (1, -2), (-1, 2), (0, 2), (1, 2),
        ] {
            canvas.dot(runner.x + x, runner.y + y)
        }
        return canvas.text
    }
}
