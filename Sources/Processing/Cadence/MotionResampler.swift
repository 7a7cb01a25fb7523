import Glibc
import SensorModel

/// Converts samples at any rate, with jitter and losses, to cells of 40 ms.
///
/// A cell is the mean of the linear interpolation of the samples. One rule thus averages a fast
/// sensor (no alias) and interpolates a slow one. The lanes are the three axes and the length of
/// the acceleration, which is computed before the averaging.
struct MotionResampler: Sendable {
    private var previousTime: Int64 = 0
    private var previous = SIMD4<Float>.zero
    private var newestTime: Int64 = 0
    private var newest = SIMD4<Float>.zero
    /// Sum of value × µs since the cell began.
    private var sum = SIMD4<Float>.zero
    private var cellEnd: Int64 = 0
    private var isEmpty = true

    /// End of the last cell from ``next()``.
    private(set) var cellTime: Int64 = 0

    /// - Parameters:
    ///   - acceleration: g, each axis.
    ///   - time: Time in µs, later than the previous sample's.
    /// - Returns: Whether the samples continue; `false` for the first sample and after a hole,
    ///   where the grid restarts at this sample.
    mutating func take(_ acceleration: SIMD3<Float>, at time: Int64) -> Bool {
        let square = acceleration * acceleration
        let value = SIMD4(acceleration, (square.x + square.y + square.z).squareRoot())
        let hole = Int64(CadenceTuning.holeSeconds * 1_000_000)
        if isEmpty || time - newestTime > hole {
            isEmpty = false
            (previousTime, previous) = (time, value)
            (newestTime, newest) = (time, value)
            sum = .zero
            cellEnd = time + CadenceTuning.cellMicroseconds
            return false
        }
        (previousTime, previous) = (newestTime, newest)
        (newestTime, newest) = (time, value)
        return true
    }

    /// - Returns: The next full cell; `nil` if more samples are needed.
    mutating func next() -> SIMD4<Float>? {
        if cellEnd > newestTime {
            let span = Float(newestTime - previousTime)
            sum += (previous + newest) * (0.5 * span)
            (previousTime, previous) = (newestTime, newest)
            return nil
        }
        let share = Float(cellEnd - previousTime) / Float(max(1, newestTime - previousTime))
        let atEnd = previous + (newest - previous) * share
        sum += (previous + atEnd) * (0.5 * Float(cellEnd - previousTime))
        let cell = sum / Float(CadenceTuning.cellMicroseconds)
        (previousTime, previous) = (cellEnd, atEnd)
        sum = .zero
        cellTime = cellEnd
        cellEnd += CadenceTuning.cellMicroseconds
        return cell
    }
}
