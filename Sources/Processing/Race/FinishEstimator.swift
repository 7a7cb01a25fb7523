import SensorModel

/// When the race distance will be reached: as it went so far, better and worse.
///
/// The expected time goes on at the mean pace per effort kilometer, with the same share of pauses.
/// Best and worst come from how much the pace of 500 m pieces varied, and widen with what is left.
/// Once the distance is reached all three are the time at its mark.
struct FinishEstimator: Sendable {
    struct Parameters: Sendable {
        /// Meters before an estimate is shown; the reference's projection starts there.
        var metersMin = 500.0
        /// Meters of a piece whose pace is compared.
        var pieceMeters = 500.0
        /// Share of the rest that may always go better or worse, before the pace has shown.
        var spreadMin = 0.02
        /// Fatigue: the worst case slows by this share of the rest more.
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
    /// Where the way was last measured.
    private var newest: (meters: Double, elapsedSeconds: Double)?
    /// The distance that was reached; no seconds: it was set when it lay behind already.
    private var reached: Reached?

    mutating func update(meters: Double, movingSeconds: Double) {
        let length = meters - pieceStart.meters
        guard length >= parameters.pieceMeters else { return }
        if paces.count == parameters.piecesMax { paces.removeFirst() }
        paces.append((movingSeconds - pieceStart.movingSeconds) / length)
        pieceStart = (meters, movingSeconds)
    }

    /// Looks for the mark of the race distance between two places.
    ///
    /// - Parameters:
    ///   - meters: Covered.
    ///   - elapsedSeconds: At which they were.
    ///   - isMeasured: By a fix; a tick between two fixes says nothing new where meters stayed.
    ///   - raceKm: The distance; `nil`: none set.
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
    ///   - raceKm: The distance; `nil`: none set.
    ///   - meters: Covered.
    ///   - gainMeters: Climbed.
    ///   - movingSeconds: Of the session.
    ///   - elapsedSeconds: Of the session.
    /// - Returns: `nil` without a distance, or too early to say.
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
        // What climb was so far is taken to go on.
        let leftEffort = leftKm * effort / (meters / 1000)
        let pausedShare = (elapsedSeconds - movingSeconds) / movingSeconds
        let rest = leftEffort * movingSeconds / effort
        let spread = max(parameters.spreadMin, variation)
        return FinishEstimate(
            bestSeconds: elapsedSeconds + rest * (1 - min(spread, 0.5)),
            expectedSeconds: elapsedSeconds + rest * (1 + pausedShare),
            worstSeconds: elapsedSeconds
                + rest * (1 + pausedShare) * (1 + spread + parameters.fadeShare))
    }

    /// Population deviation over mean of the pieces' paces: the reference's pace variability.
    var variation: Double {
        guard paces.count > 1 else { return 0 }
        let mean = paces.reduce(0, +) / Double(paces.count)
        guard mean > 0 else { return 0 }
        let variance =
            paces.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(paces.count)
        return variance.squareRoot() / mean
    }
}
