import API
import Foundation
import Registry
import SensorModel
import WireFormat

enum ProfileCheck {
    static func run(_ bytes: [UInt8]) throws(Breach) {
        let profile: RunnerProfile
        let start: Timestamp?
        do {
            let body = try JSONBody.decode(ProfileBody.self, from: bytes)
            profile = try body.applied(to: RunnerProfile())
            start = try body.zonesStart(for: profile)
        } catch { return try Refusals.check(error) }
        try checkRanges(of: profile)
        if let start { try checkStart(start) }
        try checkRoundTrips(of: profile)
    }

    private static func checkRanges(of profile: RunnerProfile) throws(Breach) {
        try expect((100...230).contains(profile.maxHeartRate), "maxHeartRate")
        try within(30...120, profile.restingHeartRate, "restingHeartRate")
        try within(80...220, profile.thresholdHeartRate, "thresholdHeartRate")
        try within(20...300, profile.weightKg, "weightKg")
        try within(1...Limits.zonesMax, profile.targetZone, "targetZone")
        try within(60...3600, profile.targetPaceSecondsPerKm, "targetPaceSecondsPerKm")
        try within(0...1000, profile.raceKm, "raceKm")
        try within(0...604_800, profile.safetyTimerSeconds, "safetyTimerSeconds")
        try expect(TimeZone(identifier: profile.timeZone) != nil, "timeZone")
        if case .custom(let bounds) = profile.zones {
            try expect((1..<Limits.zonesMax).contains(bounds.count), "zones: \(bounds.count)")
            try expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "zones fall")
            try expect(bounds.allSatisfy { (80...230).contains($0) }, "zones: \(bounds)")
        }
    }

    private static func within<Value: Comparable>(
        _ range: ClosedRange<Value>, _ value: Value?, _ name: String
    ) throws(Breach) {
        if let value { try expect(range.contains(value), "\(name) is \(value)") }
    }

    /// Checks that it is 3 a.m., in some time zone, of a day with a four-digit year.
    private static func checkStart(_ start: Timestamp) throws(Breach) {
        let years = (-62_300_000_000.0...253_500_000_000)
        try expect(years.contains(start.secondsSince1970), "zonesFrom is \(start)")
    }

    private static func checkRoundTrips(of profile: RunnerProfile) throws(Breach) {
        do {
            let row = try ProfileCoding.text(profile, ZoneHistory())
            try expect(
                try ProfileCoding.profile(row).0 == profile, "another profile is read from: \(row)")
            let answer = try JSONDecoder().decode(
                ProfileBody.self, from: Data(JSONBody.bytes(ProfileBody(profile)) ?? []))
            try expect(
                try answer.applied(to: RunnerProfile()) == profile,
                "the answer means another profile: \(row)")
            var record: [UInt8] = []
            ProfileCodec.encode(profile, to: &record)
            try expect(
                try ProfileCodec.decode(record.span) == profile,
                "another profile is recorded: \(row)")
            try expect(record.count <= 1024, "a record of \(record.count) bytes: \(row)")
        } catch let breach as Breach { throw breach } catch {
            throw Breach(what: "\(profile) does not come back: \(error)")
        }
    }

    static let seeds = [
        #"""
        {"placement":"wrist","maxHeartRate":190,"restingHeartRate":48,"thresholdHeartRate":170,
        "zones":"karvonen","weightKg":70.5,"sex":"female","timeZone":"Europe/Berlin","treadmill":true}
        """#,
        #"""
        {"zones":"120,140,155,170","targetZone":2,"targetPaceSecondsPerKm":330.5,"raceKm":42.195,
        "autoPause":"reference","safetyTimerSeconds":7200,"intervals":"10:00,5x(1km,2:00),10:00"}
        """#,
        #"{"zones":"friel","zonesFrom":"2026-03-01","intervals":"90s,400m,1.001km,12.5s"}"#,
        #"{"pastZones":[{"until":1763700000,"zones":"coggan","maxHeartRate":190}],"targetZone":0}"#,
        #"{"strideCalibration":"125/48,130/45.5,140/42,150/40,160/35"}"#,
        #"{"strideCalibration":"-0.004*cadence+1.3"}"#,
        #"{"intervals":"2x(1.234567km,1:02:03)","timeZone":"GMT+3","targetPaceSecondsPerKm":0}"#,
    ]
}
