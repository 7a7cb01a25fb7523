import Glibc
import SensorModel

/// Computes a session's training stress by three methods: hrTSS, and TRIMP after Banister and
/// Edwards.
///
/// TRIMP follows the formulas of Banister (1991) and Edwards (1993). hrTSS is the reference's
/// weighting of five zones, in which an hour in zone 4 is 100.
public struct TrainingStress: Sendable {
    struct Parameters: Sendable {
        /// Factors of the five zones; the reference's values.
        var zoneFactors = [1.0, 1.5, 2.0, 3.0, 5.0]
        /// Minimum minutes of heart rate for hrTSS; the reference's value.
        var minutesMin = 5.0
    }

    private let parameters = Parameters()
    private var zoneMinutes = [0.0, 0.0, 0.0, 0.0, 0.0]
    private var banister = 0.0
    private var hasBanister = false

    /// - Parameters:
    ///   - beatsPerMinute: Heart rate during `seconds`.
    ///   - zone: Zone 1…5 by percent of maximum.
    ///   - seconds: Duration, 0 ..< 60.
    ///   - profile: The current profile.
    mutating func add(
        _ beatsPerMinute: Double, zone: Int, seconds: Double, profile: RunnerProfile
    ) {
        guard seconds > 0 else { return }
        zoneMinutes[zone - 1] += seconds / 60
        if let rest = profile.restingHeartRate, profile.maxHeartRate > rest {
            hasBanister = true
            banister += Self.banister(
                minutes: seconds / 60, beatsPerMinute: beatsPerMinute, rest: Double(rest),
                maximum: Double(profile.maxHeartRate), sex: profile.sex)
        }
    }

    func load(profile: RunnerProfile) -> TrainingLoad? {
        let minutes = zoneMinutes.reduce(0, +)
        guard minutes > 0 else { return nil }
        let guarded = profile.maxHeartRate > (profile.restingHeartRate ?? 0)
        let weighted = zip(zoneMinutes, parameters.zoneFactors).reduce(0) { $0 + $1.0 * $1.1 }
        let edwards = zoneMinutes.indices.reduce(0) { $0 + zoneMinutes[$1] * Double($1 + 1) }
        return TrainingLoad(
            hrTSS: minutes >= parameters.minutesMin && guarded ? weighted / 180 * 100 : nil,
            trimp: hasBanister ? banister : nil, edwards: edwards)
    }

    /// The load of a session by its perceived exertion (the reference's formula, after Foster's
    /// session RPE): an hour at 8 is 100.
    ///
    /// - Parameters:
    ///   - exertion: 1…10.
    ///   - movingSeconds: Moving time of the session.
    /// - Returns: On the scale of hrTSS.
    public static func byExertion(_ exertion: Int, movingSeconds: Double) -> Double {
        let share = Double(exertion) / 10
        return movingSeconds / 60 * share * share * 100 / (60 * 0.64)
    }

    /// Computes min × r × a e^(b r), where r is the share of the heart-rate reserve. For an unknown
    /// sex it uses the constants for men, which give the smaller load below r = 0.9.
    static func banister(
        minutes: Double, beatsPerMinute: Double, rest: Double, maximum: Double,
        sex: RunnerProfile.Sex?
    ) -> Double {
        let reserve = min(max((beatsPerMinute - rest) / (maximum - rest), 0), 1)
        return switch sex {
        case .female: minutes * reserve * 0.86 * exp(1.67 * reserve)
        case .male, nil: minutes * reserve * 0.64 * exp(1.92 * reserve)
        }
    }
}
