import SensorModel

/// Predicts the time at the race distance: expected, best and worst.
///
/// The expected time continues at the mean pace per effort kilometer, without further pauses: over
/// recorded runs that errs less than any share of the pauses so far. The worst has that share. Best
/// and worst come from the variation of the pace over pieces of 500 m, and widen with the remaining
/// distance. Once the distance is reached, all three are the time at its mark.
struct FinishEstimator: Sendable {
    struct Parameters: Sendable {
        /// Minimum meters for an estimate; the reference's projection starts there.
        var metersMin = 500.0
        /// Meters of a piece for the comparison of paces.
        var pieceMeters = 500.0
        /// Minimum relative spread of the remaining time, before the pace shows its variation.
        var spreadMin = 0.02
        /// Fatigue: the share of the remaining time that is added in the worst case.
        var fadeShare = 0.03
        var piecesMax = 60
    }

    private struct Reached: Sendable {
        let raceKm: Double
        let elapsedSeconds: Double?
    }

    private let parameters = Parameters()
    private var paces: [Double] = []
    private var pieceStart: (meters: Double, movingSeconds: Double) = (0, 0)
    /// The last measured meters.
    private var newest: (meters: Double, elapsedSeconds: Double)?
    /// The distance that was reached. Its seconds are `nil` if it was reached before it was set.
    private var reached: Reached?

    mutating func update(meters: Double, movingSeconds: Double) {
        let length = meters - pieceStart.meters
        guard length >= parameters.pieceMeters else { return }
        if paces.count == parameters.piecesMax { paces.removeFirst() }
        paces.append((movingSeconds - pieceStart.movingSeconds) / length)
        pieceStart = (meters, movingSeconds)
    }

    /// Detects when the runner passes the race distance between two measurements.
    ///
    /// - Parameters:
    ///   - meters: Meters covered.
    ///   - elapsedSeconds: Elapsed seconds at these meters.
    ///   - isMeasured: Whether a fix measured them; a tick without new meters gives no information.
    ///   - raceKm: The race distance; `nil` if there is none.
    mutating func follow(
        meters: Double, elapsedSeconds: Double, isMeasured: Bool, raceKm: Double?
    ) {
        guard isMeasured || meters != newest?.meters else { return }
        defer { newest = (meters, elapsedSeconds) }
        guard let raceKm, raceKm > 0, meters >= raceKm * 1000 else {
            reached = nil
            return
        }
        guard reached?.raceKm != raceKm else { return }
        var seconds: Double?
        if let newest, newest.meters < raceKm * 1000 {
            let share = (raceKm * 1000 - newest.meters) / (meters - newest.meters)
            seconds = newest.elapsedSeconds + share * (elapsedSeconds - newest.elapsedSeconds)
        }
        reached = Reached(raceKm: raceKm, elapsedSeconds: seconds)
    }

    /// - Parameters:
    ///   - raceKm: The race distance; `nil` if there is none.
    ///   - meters: Meters covered.
    ///   - gainMeters: Meters climbed.
    ///   - movingSeconds: Moving seconds of the session.
    ///   - elapsedSeconds: Elapsed seconds of the session.
    /// - Returns: The estimate; `nil` without a distance, or too early.
    func estimate(
        raceKm: Double?, meters: Double, gainMeters: Double?, movingSeconds: Double,
        elapsedSeconds: Double
    ) -> FinishEstimate? {
        guard let raceKm, raceKm > 0, meters >= parameters.metersMin, movingSeconds > 0 else {
            return nil
        }
        if let reached, reached.raceKm == raceKm {
            return reached.elapsedSeconds.map {
                FinishEstimate(bestSeconds: $0, expectedSeconds: $0, worstSeconds: $0)
            }
        }
        let leftKm = max(0, raceKm - meters / 1000)
        let effort = Energy.effortKm(meters: meters, gainMeters: gainMeters)
        // The rest is assumed to climb as much as the path so far.
        let leftEffort = leftKm * effort / (meters / 1000)
        let pausedShare = (elapsedSeconds - movingSeconds) / movingSeconds
        let rest = leftEffort * movingSeconds / effort
        let spread = max(parameters.spreadMin, variation)
        return FinishEstimate(
            bestSeconds: elapsedSeconds + rest * (1 - min(spread, 0.5)),
            expectedSeconds: elapsedSeconds + rest,
            worstSeconds: elapsedSeconds
                + rest * (1 + pausedShare) * (1 + spread + parameters.fadeShare))
    }

    /// Population deviation over the mean of the pieces' paces: the reference's pace variability.
    var variation: Double {
        guard paces.count > 1 else { return 0 }
        let mean = paces.reduce(0, +) / Double(paces.count)
        guard mean > 0 else { return 0 }
        let variance =
            paces.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(paces.count)
        return variance.squareRoot() / mean
    }
}
