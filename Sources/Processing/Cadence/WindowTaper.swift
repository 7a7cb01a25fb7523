import Glibc

/// Weights of the cells of a window, from oldest to newest; their sum is 1.
///
/// The shape is a raised cosine whose argument is warped towards the newest cells. Its sidelobes
/// are as low as Hann's (Harris, Proceedings of the IEEE 66, 1978). Its center is 2 s back in a
/// window of 5 s instead of 2.5 s, so that the estimate has less lag.
struct WindowTaper: Sendable {
    let weights: [Float]
    let sumOfSquares: Float

    private init(cells: Int) {
        var raw = [Double](repeating: 0, count: cells)
        for index in 0..<cells {
            let position = (Double(index) + 0.5) / Double(cells)
            let wave = sin(Double.pi * pow(position, 1.5))
            raw[index] = wave * wave
        }
        let total = raw.reduce(0, +)
        weights = raw.map { Float($0 / total) }
        sumOfSquares = weights.reduce(0) { $0 + $1 * $1 }
    }

    /// One taper for each number of blocks, shared by all sessions.
    private static let all: [WindowTaper] = (0...25).map {
        WindowTaper(cells: max(1, $0 * CadenceTuning.blockCells))
    }

    static func of(cells: Int) -> WindowTaper {
        all[min(25, max(0, cells / CadenceTuning.blockCells))]
    }

    /// Share of the signal's autocorrelation that the taper keeps at a delay; 1 at 0.
    func correlation(atCells delay: Float) -> Float {
        let whole = Int(delay)
        let part = delay - Float(whole)
        guard whole + 1 < weights.count else { return 0 }
        var near: Float = 0
        var far: Float = 0
        for index in 0..<(weights.count - whole - 1) {
            near += weights[index] * weights[index + whole]
            far += weights[index] * weights[index + whole + 1]
        }
        return (near + (far - near) * part) / sumOfSquares
    }
}
