import Glibc
import SensorModel

/// Predicts the time at the race distance: expected, best and worst.
///
/// The expected time continues at a pace per kilometer of effort, without further pauses: over
/// recorded runs that errs less than any share of the pauses so far. The worst has that share. The
/// pace is the mean so far; at the beginning the runner's last runs of a similar pace count more.
/// The remaining effort has the climb of the course ahead, if the runner follows one with
/// altitudes. Best and worst come from the variation of the pace over pieces of 500 m, and widen
/// with the remaining distance. Once the distance is reached, all three are the time at its mark.
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
        /// Kilometers of effort that 100 m of climb add here. It is less than the reference's 1 of
        /// ``Energy/effortKm(meters:gainMeters:)``, because what was climbed is mostly run down.
        var climbEffort = 0.3
        /// Kilometers of effort after which the pace so far counts as much as the last runs.
        var historyKm = 4.0
        /// Last runs whose pace differs by a greater share are of another kind: a race is no hike.
        var similarShare = 0.25
        /// Fewer similar runs say nothing.
        var similarRunsMin = 3
        /// Exponent of time over distance (Riegel, 1981).
        var fatigueExponent = 1.06
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
    ///   - ahead: The course ahead; `nil` if it or its climb is unknown.
    ///   - recentRuns: The runner's last runs.
    /// - Returns: The estimate; `nil` too early.
    func estimate(
        raceKm: Double, meters: Double, gainMeters: Double?, movingSeconds: Double,
        elapsedSeconds: Double, ahead: CourseAhead? = nil, recentRuns: [RecentRun] = []
    ) -> FinishEstimate? {
        guard raceKm > 0, meters >= parameters.metersMin, movingSeconds > 0 else {
            return nil
        }
        if let reached, reached.raceKm == raceKm {
            return reached.elapsedSeconds.map {
                FinishEstimate(bestSeconds: $0, expectedSeconds: $0, worstSeconds: $0)
            }
        }
        let leftKm = max(0, raceKm - meters / 1000)
        let effort = self.effortKm(meters: meters, gainMeters: gainMeters ?? 0)
        let aheadKm = min((ahead?.meters ?? 0) / 1000, leftKm)
        // What no course covers is assumed to climb as much as the path so far.
        let leftEffort =
            aheadKm + (ahead?.climbMeters ?? 0) / 100 * parameters.climbEffort
            + (leftKm - aheadKm) * effort / (meters / 1000)
        let pausedShare = (elapsedSeconds - movingSeconds) / movingSeconds
        let rest =
            leftEffort
            * pace(
                soFar: movingSeconds / effort, over: effort, recentRuns: recentRuns, raceKm: raceKm)
        let spread = max(parameters.spreadMin, variation)
        return FinishEstimate(
            bestSeconds: elapsedSeconds + rest * (1 - min(spread, 0.5)),
            expectedSeconds: elapsedSeconds + rest,
            worstSeconds: elapsedSeconds
                + rest * (1 + pausedShare) * (1 + spread + parameters.fadeShare))
    }

    private func effortKm(meters: Double, gainMeters: Double) -> Double {
        meters / 1000 + gainMeters / 100 * parameters.climbEffort
    }

    /// The pace of the rest, seconds a kilometer of effort.
    private func pace(
        soFar: Double, over effortKm: Double, recentRuns: [RecentRun], raceKm: Double
    ) -> Double {
        var similar: [Double] = []
        for run in recentRuns {
            let effort = self.effortKm(
                meters: Double(run.meters), gainMeters: Double(run.climbMeters))
            let longer = raceKm * 1000 / Double(run.meters)
            let pace =
                Double(run.movingSeconds) / effort * pow(longer, parameters.fatigueExponent - 1)
            if abs(pace / soFar - 1) <= parameters.similarShare { similar.append(pace) }
        }
        guard similar.count >= parameters.similarRunsMin else { return soFar }
        similar.sort()
        let (low, high) = (similar[(similar.count - 1) / 2], similar[similar.count / 2])
        let share = effortKm / (effortKm + parameters.historyKm)
        return share * soFar + (1 - share) * (low + high) / 2
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
