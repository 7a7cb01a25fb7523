import Processing
import SensorModel

/// Decides whether two tracks are of one run: with one difference of the clocks they are at the same
/// places, and not seconds apart on the same way.
struct TrackMatch: Sendable {
    private static let stepSeconds = 0.5
    /// Differences of two clocks, with the error of their estimate from tracks: 3 s, in steps.
    private static let clockShifts = -6...6
    /// Shifts in which two runners, one behind the other, are looked for: 15 s, in steps.
    private static let shifts = -30...30
    static let secondsMax = 15.0
    private static let momentsMin = 5
    /// Two receivers of one runner: root of the mean square of their distances, at most, meters.
    private static let metersMean = 8.0
    /// Distance from which on a farther place says no more, meters.
    private static let metersMax = 40.0
    /// Square meters and share by which other shifts lower the mean square of two receivers of one
    /// runner, at most. Measured with simulated ones: 7 m² and 0.1 of it in 99 of 100 runs.
    private static let (loweredBy, loweredShare) = (9.0, 0.1)

    private var moments: ShiftedMoments<Location>

    init(_ frames: [Frame]) {
        moments = ShiftedMoments(frames, shifts: Self.shifts, stepSeconds: Self.stepSeconds) {
            if case .location(let at) = $0 { at } else { nil }
        }
    }

    mutating func note(_ location: Location, at seconds: Double) {
        moments.note(seconds) { Geodesy.meters(from: $0, to: location) }
    }

    /// - Returns: `nil` if too few moments have a position in both.
    var isSameRun: Bool? {
        let compared = moments.values.indices.filter { index in
            Self.clockShifts.contains { moments.difference(index, at: $0) != nil }
        }
        guard compared.count >= Self.momentsMin else { return nil }
        let squares = Self.clockShifts.compactMap { square($0, compared[...]) }
        guard let square = squares.min() else { return nil }
        return square <= Self.metersMean * Self.metersMean
            && square - freeSquare(compared) <= Self.loweredBy + Self.loweredShare * square
    }

    /// The least mean square with any shift, and another one in the second half than in the first.
    ///
    /// The clocks of one run differ by a constant of at most some seconds. It is lower than with
    /// such a shift if one runner follows another, or falls behind.
    private func freeSquare(_ compared: [Int]) -> Double {
        let middle = compared.count / 2
        let halves = [compared[..<middle], compared[middle...]]
        let sum = halves.reduce(0) { sum, half in
            let least = moments.shifts.compactMap { square($0, half) }.min()
            return sum + (least ?? .infinity) * Double(half.count)
        }
        return sum / Double(compared.count)
    }

    /// - Returns: The mean square of the distances at a shift; `nil` if too few moments have one.
    private func square(_ shift: Int, _ indices: ArraySlice<Int>) -> Double? {
        let found = indices.compactMap { moments.difference($0, at: shift) }
        // Of receivers that send seldom, a shift has few moments.
        guard found.count >= max(Self.momentsMin, indices.count / 10) else { return nil }
        let squares = found.map { min($0, Self.metersMax) * min($0, Self.metersMax) }
        return squares.reduce(0, +) / Double(found.count)
    }
}
