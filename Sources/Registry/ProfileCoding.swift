import Foundation
package import SensorModel

/// A runner's profile as the JSON text of its column.
///
/// The keys are written out, not derived from the type's members: a renamed member must not change
/// the rows on disk, and an older row lacks members that were added since.
package struct ProfileCoding: Codable {
    private var placement: String?
    private var maxHeartRate: Int?
    private var restingHeartRate: Int?
    private var thresholdHeartRate: Int?
    private var zones: String?
    private var zoneBounds: [Int]?
    private var weightKg: Double?
    private var sex: String?
    private var timeZone: String?
    private var targetZone: Int?
    private var targetPaceSecondsPerKm: Double?
    private var raceKm: Double?
    private var treadmill: Bool?
    private var autoPause: String?
    private var strideSlope: Double?
    private var strideIntercept: Double?
    private var safetyTimerSeconds: Double?
    private var intervals: String?
    private var pastZones: [PastZones]?

    /// Zones that were in effect until a moment, µs since 1970.
    private struct PastZones: Codable {
        var until: Int64
        var zones: String
        var zoneBounds: [Int]?
        var maxHeartRate: Int
        var restingHeartRate: Int?
        var thresholdHeartRate: Int?
    }

    package static func text(_ profile: RunnerProfile, _ history: ZoneHistory) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var coding = ProfileCoding(profile)
        coding.pastZones = history.past.isEmpty ? nil : history.past.map(Self.past)
        return String(decoding: try encoder.encode(coding), as: UTF8.self)
    }

    package static func profile(
        _ text: String
    ) throws(RegistryError) -> (RunnerProfile, ZoneHistory) {
        do {
            let coding = try JSONDecoder().decode(ProfileCoding.self, from: Data(text.utf8))
            return (
                coding.profile, ZoneHistory(past: (coding.pastZones ?? []).map(Self.settings))
            )
        } catch {
            throw .damagedRow(table: "device")
        }
    }

    private init(_ profile: RunnerProfile) {
        placement = profile.placement?.rawValue
        maxHeartRate = profile.maxHeartRate
        restingHeartRate = profile.restingHeartRate
        thresholdHeartRate = profile.thresholdHeartRate
        (zones, zoneBounds) = Self.columns(of: profile.zones)
        weightKg = profile.weightKg
        sex = profile.sex?.rawValue
        timeZone = profile.timeZone
        targetZone = profile.targetZone
        targetPaceSecondsPerKm = profile.targetPaceSecondsPerKm
        raceKm = profile.raceKm
        treadmill = profile.treadmill
        autoPause = profile.autoPause.rawValue
        strideSlope = profile.strideCalibration?.slope
        strideIntercept = profile.strideCalibration?.intercept
        safetyTimerSeconds = profile.safetyTimerSeconds
        intervals = profile.intervals?.text
    }

    private var profile: RunnerProfile {
        var profile = RunnerProfile()
        profile.placement = placement.flatMap(RunnerProfile.Placement.init)
        profile.maxHeartRate = maxHeartRate ?? profile.maxHeartRate
        profile.restingHeartRate = restingHeartRate
        profile.thresholdHeartRate = thresholdHeartRate
        profile.zones = Self.scheme(zones, zoneBounds)
        profile.weightKg = weightKg
        profile.sex = sex.flatMap(RunnerProfile.Sex.init)
        profile.timeZone = timeZone ?? profile.timeZone
        profile.targetZone = targetZone
        profile.targetPaceSecondsPerKm = targetPaceSecondsPerKm
        profile.raceKm = raceKm
        profile.treadmill = treadmill ?? false
        profile.autoPause = autoPause.flatMap(RunnerProfile.AutoPauseMethod.init) ?? .fused
        if let strideSlope, let strideIntercept {
            profile.strideCalibration = StrideCalibration(
                slope: strideSlope, intercept: strideIntercept)
        }
        profile.safetyTimerSeconds = safetyTimerSeconds
        profile.intervals = intervals.flatMap { IntervalPlan(text: $0) }
        return profile
    }

    private static func past(_ past: ZoneHistory.Past) -> PastZones {
        let (zones, bounds) = columns(of: past.settings.scheme)
        return PastZones(
            until: past.until.microseconds, zones: zones, zoneBounds: bounds,
            maxHeartRate: past.settings.maxHeartRate,
            restingHeartRate: past.settings.restingHeartRate,
            thresholdHeartRate: past.settings.thresholdHeartRate)
    }

    private static func settings(_ past: PastZones) -> ZoneHistory.Past {
        ZoneHistory.Past(
            until: Timestamp(microseconds: past.until),
            settings: ZoneSettings(
                scheme: scheme(past.zones, past.zoneBounds), maxHeartRate: past.maxHeartRate,
                restingHeartRate: past.restingHeartRate,
                thresholdHeartRate: past.thresholdHeartRate))
    }

    private static func columns(of scheme: ZoneScheme) -> (String, [Int]?) {
        switch scheme {
        case .percentOfMaximum: ("percentOfMaximum", nil)
        case .karvonen: ("karvonen", nil)
        case .friel: ("friel", nil)
        case .coggan: ("coggan", nil)
        case .seiler: ("seiler", nil)
        case .custom(let upperBounds): ("custom", upperBounds)
        }
    }

    private static func scheme(_ zones: String?, _ bounds: [Int]?) -> ZoneScheme {
        switch zones {
        case "karvonen": .karvonen
        case "friel": .friel
        case "coggan": .coggan
        case "seiler": .seiler
        case "custom": .custom(upperBounds: bounds ?? [])
        default: .percentOfMaximum
        }
    }
}
