import Foundation
import Registry
import Runtime
public import SensorModel

extension RunnerProfile {
    /// Returns the profile with some fields replaced.
    ///
    /// - Parameter json: An object, in the API's form.
    /// - Returns: A copy with the object's fields.
    /// - Throws: An error that says in a sentence what is wrong with a field.
    public func changed(by json: [UInt8]) throws -> RunnerProfile {
        try JSONBody.decode(ProfileBody.self, from: json).applied(to: self)
    }
}

/// A runner's profile as JSON. In a request an absent field changes nothing, and 0 removes a
/// target.
package struct ProfileBody: StrictBody, Encodable {
    package static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case placement, maxHeartRate, restingHeartRate, thresholdHeartRate, zones, weightKg, sex
        case timeZone, targetZone, targetPaceSecondsPerKm, raceKm, treadmill, autoPause
        case safetyTimerSeconds, intervals, strideCalibration, zonesFrom, pastZones
    }

    var placement: String?
    var maxHeartRate: Int?
    var restingHeartRate: Int?
    var thresholdHeartRate: Int?
    /// Name of a scheme, or upper bounds in beats/min separated by commas.
    var zones: String?
    var weightKg: Double?
    var sex: String?
    var timeZone: String?
    var targetZone: Int?
    var targetPaceSecondsPerKm: Double?
    var raceKm: Double?
    var treadmill: Bool?
    var autoPause: String?
    var safetyTimerSeconds: Double?
    /// Phases in the notation of ``IntervalPlan``; empty: none.
    var intervals: String?
    /// A line, or in a request records of 100 m, in the notation of ``StrideCalibration``; empty:
    /// none.
    var strideCalibration: String?
    /// In a request: the first day of its zones, as `2026-03-01`; absent: now.
    var zonesFrom: String?
    /// In an answer: earlier zones, oldest first.
    var pastZones: [PastZones]?

    package struct PastZones: Codable {
        /// Seconds since 1970.
        let until: Double
        let zones: String
        let maxHeartRate: Int
        let restingHeartRate: Int?
        let thresholdHeartRate: Int?

        init(_ past: ZoneHistory.Past) {
            until = past.until.secondsSince1970
            zones = ProfileBody.text(of: past.settings.scheme)
            maxHeartRate = past.settings.maxHeartRate
            restingHeartRate = past.settings.restingHeartRate
            thresholdHeartRate = past.settings.thresholdHeartRate
        }
    }

    init(_ device: Device) {
        self.init(device.profile)
        pastZones = device.zoneHistory.past.map(PastZones.init)
    }

    package init(_ profile: RunnerProfile) {
        placement = profile.placement?.rawValue
        maxHeartRate = profile.maxHeartRate
        restingHeartRate = profile.restingHeartRate
        thresholdHeartRate = profile.thresholdHeartRate
        zones = Self.text(of: profile.zones)
        weightKg = profile.weightKg
        sex = profile.sex?.rawValue
        timeZone = profile.timeZone
        targetZone = profile.targetZone
        targetPaceSecondsPerKm = profile.targetPaceSecondsPerKm
        raceKm = profile.raceKm
        treadmill = profile.treadmill
        autoPause = profile.autoPause.rawValue
        safetyTimerSeconds = profile.safetyTimerSeconds
        intervals = profile.intervals?.text
        strideCalibration = profile.strideCalibration?.text
    }

    /// - Throws: ``APIRefusal/badField(name:allowed:)`` for the first value that is not allowed.
    package func applied(to profile: RunnerProfile) throws(APIRefusal) -> RunnerProfile {
        var changed = profile
        changed.maxHeartRate =
            try Self.within(100...230, maxHeartRate, "maxHeartRate") ?? profile.maxHeartRate
        changed.restingHeartRate =
            try Self.within(30...120, restingHeartRate, "restingHeartRate")
            ?? profile.restingHeartRate
        changed.thresholdHeartRate =
            try Self.within(80...220, thresholdHeartRate, "thresholdHeartRate")
            ?? profile.thresholdHeartRate
        changed.weightKg = try Self.within(20...300, weightKg, "weightKg") ?? profile.weightKg
        changed.treadmill = treadmill ?? profile.treadmill
        try applyNames(to: &changed)
        try applyTargets(to: &changed)
        return changed
    }

    private func applyNames(to profile: inout RunnerProfile) throws(APIRefusal) {
        profile.placement =
            try Self.named(RunnerProfile.Placement.self, placement, "placement")
            ?? profile.placement
        profile.sex = try Self.named(RunnerProfile.Sex.self, sex, "sex") ?? profile.sex
        profile.autoPause =
            try Self.named(RunnerProfile.AutoPauseMethod.self, autoPause, "autoPause")
            ?? profile.autoPause
        if let zones { profile.zones = try Self.scheme(zones) }
        if let timeZone {
            guard TimeZone(identifier: timeZone) != nil else {
                throw .badField(name: "timeZone", allowed: "an IANA name as Europe/Berlin")
            }
            profile.timeZone = timeZone
        }
    }

    private func applyTargets(to profile: inout RunnerProfile) throws(APIRefusal) {
        if let zone = try Self.within(0...Limits.zonesMax, targetZone, "targetZone") {
            profile.targetZone = zone == 0 ? nil : zone
        }
        if let pace = targetPaceSecondsPerKm {
            guard pace == 0 || (60...3600).contains(pace) else {
                throw .badField(name: "targetPaceSecondsPerKm", allowed: "60 to 3600, 0: none")
            }
            profile.targetPaceSecondsPerKm = pace == 0 ? nil : pace
        }
        if let km = try Self.within(0...1000, raceKm, "raceKm") {
            profile.raceKm = km == 0 ? nil : km
        }
        if let timer = try Self.within(0...604_800, safetyTimerSeconds, "safetyTimerSeconds") {
            profile.safetyTimerSeconds = timer == 0 ? nil : timer
        }
        if let intervals { profile.intervals = try Self.plan(intervals) }
        if let strideCalibration {
            profile.strideCalibration = try Self.calibration(strideCalibration)
        }
    }

    private static func calibration(_ text: String) throws(APIRefusal) -> StrideCalibration? {
        guard !text.isEmpty else { return nil }
        guard let calibration = StrideCalibration(text: text) else {
            throw .badField(
                name: "strideCalibration",
                allowed: "\(StrideCalibration.recordsMin) records or more of 100 m at different "
                    + "paces, steps and seconds of each, as 125/48,130/45.5; or a line as "
                    + "0.004*cadence+0.3; empty: none")
        }
        return calibration
    }

    private static func plan(_ text: String) throws(APIRefusal) -> IntervalPlan? {
        guard !text.isEmpty else { return nil }
        guard let plan = IntervalPlan(text: text) else {
            throw .badField(
                name: "intervals",
                allowed: "up to \(IntervalPlan.phasesMax) phases of 10 s or 50 m and more, as "
                    + "10:00,5x(1km,2:00),10:00; empty: none")
        }
        return plan
    }

    private static func within<Value: Comparable>(
        _ range: ClosedRange<Value>, _ value: Value?, _ name: String
    ) throws(APIRefusal) -> Value? {
        guard let value else { return nil }
        guard range.contains(value) else {
            throw .badField(name: name, allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func named<Name: RawRepresentable<String> & CaseIterable>(
        _ type: Name.Type, _ text: String?, _ name: String
    ) throws(APIRefusal) -> Name? {
        guard let text else { return nil }
        guard let value = Name(rawValue: text) else {
            throw .badField(
                name: name, allowed: Name.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return value
    }

    private static let schemes: [(name: String, scheme: ZoneScheme)] = [
        ("percentOfMaximum", .percentOfMaximum), ("karvonen", .karvonen), ("friel", .friel),
        ("coggan", .coggan), ("seiler", .seiler),
    ]

    /// Start of the day ``zonesFrom`` for a wearer: three in the morning, as every day of training.
    package func zonesStart(for profile: RunnerProfile) throws(APIRefusal) -> Timestamp? {
        guard let zonesFrom else { return nil }
        let parts = zonesFrom.split(separator: "-", omittingEmptySubsequences: false)
        // A sign is refused: `+202` has four characters, too.
        let numbers = parts.compactMap { $0.first == "+" ? nil : Int($0) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: profile.timeZone) ?? .gmt
        guard parts.map(\.count) == [4, 2, 2], numbers.count == 3,
            case let wanted = DateComponents(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: 3),
            wanted.isValidDate(in: calendar), let date = calendar.date(from: wanted),
            let start = Timestamp(secondsSince1970: date.timeIntervalSince1970)
        else {
            throw .badField(name: "zonesFrom", allowed: "a day as 2026-03-01")
        }
        return start
    }

    fileprivate static func text(of scheme: ZoneScheme) -> String {
        if case .custom(let bounds) = scheme {
            return bounds.map(String.init).joined(separator: ",")
        }
        return schemes.first { $0.scheme == scheme }?.name ?? ""
    }

    private static func scheme(_ text: String) throws(APIRefusal) -> ZoneScheme {
        if let known = schemes.first(where: { $0.name == text }) { return known.scheme }
        let bounds = text.split(separator: ",").map { Int($0) }
        let numbers = bounds.compactMap { $0 }
        let rises = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        guard !numbers.isEmpty, numbers.count == bounds.count, rises,
            numbers.count < Limits.zonesMax, numbers.allSatisfy({ (80...230).contains($0) })
        else {
            throw .badField(
                name: "zones",
                allowed: schemes.map(\.name).joined(separator: ", ")
                    + ", or rising upper bounds of 80 to 230 as 120,140,155,170")
        }
        return .custom(upperBounds: numbers)
    }
}

extension Administration {
    /// - Returns: The device with its changed profile.
    /// - Throws: ``APIRefusal`` for a value that is not allowed, ``RegistryError``
    func apply(_ body: ProfileBody, to device: Device) throws -> Device {
        try changeProfile(of: device, zonesFrom: body.zonesStart) { try body.applied(to: $0) }
    }
}
