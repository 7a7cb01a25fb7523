import ArgumentParser
import Foundation
import SensorModel

/// Profile of a device and its wearer for the metrics; omitted fields stay unchanged.
struct ProfileOptions: ParsableArguments {
    static let zonesHelp = """
        Zones are percentOfMaximum, karvonen, friel, coggan or seiler, or the upper bounds of \
        your own zones in beats/min, as 120,140,155,170. Intervals are phases with commas \
        between, each a time (2:00, 90s) or a distance (400m, 1km); 5x(1km,2:00) repeats. They \
        begin with the next session, or at once in one that runs.
        """

    @Option(
        help: .value("place", "Where it is worn: wrist, ankle, hip, pocket or hand."),
        completion: .placements)
    var placement: String?
    @Option(help: .value("rate", "Beats/min, 100…230.")) var maxHeartRate: Int?
    @Option(help: .value("rate", "Beats/min, 30…120.")) var restingHeartRate: Int?
    @Option(help: .value("rate", "Beats/min at threshold, 80…220."))
    var thresholdHeartRate: Int?
    @Option(
        help: .value("method", "How heart rates become zones."),
        completion: .list(["percentOfMaximum", "karvonen", "friel", "coggan", "seiler"]))
    var zones: String?
    @Option(
        help: .value(
            "day", "The first day of these zones and heart rates, as 2026-03-01; else now."))
    var zonesFrom: String?
    @Option(help: .value("kilograms", "Kilograms, 20…300.")) var weightKg: Double?
    @Option(
        help: .value("word", "female or male, for the training impulse."),
        completion: .list(RunnerProfile.Sex.allCases.map(\.rawValue)))
    var sex: String?
    @Option(
        help: .value("name", "IANA name, as Europe/Berlin."),
        completion: .list(TimeZone.knownTimeZoneIdentifiers))
    var timeZone: String?
    @Option(help: .value("number", "Zone to stay in, from 1; 0: none.")) var targetZone: Int?
    @Option(help: .value("pace", "Pace to keep, M:SS a kilometer; 0:00: none."))
    var targetPace: String?
    @Option(help: .value("kilometers", "Race distance in kilometers; 0: none."))
    var raceKm: Double?
    @Flag(inversion: .prefixedNo, help: "Distance from steps alone.") var treadmill: Bool?
    @Option(
        help: .value("method", "fused, reference or off."),
        completion: .list(RunnerProfile.AutoPauseMethod.allCases.map(\.rawValue)))
    var autoPause: String?
    @Option(help: .value("plan", "Phases, as 10:00,5x(1km,2:00),10:00; none: no plan."))
    var intervals: String?
    @Option(
        help: .value(
            "records",
            """
            Your own stride: steps and seconds of five times 100 m or more, at different paces, as \
            125/48,130/45.5,…; or a line as 0.004*cadence+0.3; none: learned from positions.
            """))
    var strideCalibration: String?
    @Option(
        help: .value(
            "minutes", "Minutes after which a session raises an alert, 0…10080; 0: never."))
    var safetyTimerMinutes: Double?

    /// The given fields, under their names in the daemon's API.
    ///
    /// - Throws: ``CommandFailure`` for an invalid pace.
    var given: [String: any Sendable] {
        get throws {
            var body: [String: any Sendable] = [:]
            body["placement"] = placement
            body["maxHeartRate"] = maxHeartRate
            body["restingHeartRate"] = restingHeartRate
            body["thresholdHeartRate"] = thresholdHeartRate
            body["zones"] = zones
            body["zonesFrom"] = zonesFrom
            body["weightKg"] = weightKg
            body["sex"] = sex
            body["timeZone"] = timeZone
            body["targetZone"] = targetZone
            body["targetPaceSecondsPerKm"] = try targetPace.map(Self.seconds)
            body["raceKm"] = raceKm
            body["treadmill"] = treadmill
            body["autoPause"] = autoPause
            body["intervals"] = intervals == "none" ? "" : intervals
            body["strideCalibration"] = strideCalibration == "none" ? "" : strideCalibration
            body["safetyTimerSeconds"] = safetyTimerMinutes.map { $0 * 60 }
            return body
        }
    }

    /// Converts `M:SS` to seconds.
    private static func seconds(_ pace: String) throws -> Int {
        let parts = pace.split(separator: ":")
        guard parts.count == 2, let minutes = Int(parts[0]), let seconds = Int(parts[1]),
            minutes >= 0, (0..<60).contains(seconds)
        else {
            throw CommandFailure(
                "\(pace) is not a pace: write minutes and seconds a kilometer, as 5:30",
                status: ExitStatus.wrongUse)
        }
        return minutes * 60 + seconds
    }
}
