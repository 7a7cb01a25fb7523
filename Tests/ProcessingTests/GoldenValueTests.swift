import SensorModel
import Testing

@testable import Processing

/// Exact values published by the reference applications and the papers.
@Suite struct GoldenValueTests {
    private func profile(
        maximum: Int, rest: Int? = nil, threshold: Int? = nil, zones: ZoneScheme
    ) -> RunnerProfile {
        var profile = RunnerProfile()
        profile.maxHeartRate = maximum
        profile.restingHeartRate = rest
        profile.thresholdHeartRate = threshold
        profile.zones = zones
        return profile
    }

    @Test func `Paris to London is 343,556 m by haversine, a point to itself nothing`() {
        let meters = Geodesy.meters(
            fromLatitude: 48.8566, longitude: 2.3522, toLatitude: 51.5074, longitude: -0.1278)
        #expect(abs(meters - 343_556.060_341) < 1e-5)
        #expect(
            Geodesy.meters(
                fromLatitude: 48.8566, longitude: 2.3522, toLatitude: 48.8566, longitude: 2.3522)
                == 0)
    }

    @Test func `A degree of latitude is a 360th of the reference sphere`() {
        let meters = Geodesy.meters(
            fromLatitude: 10, longitude: 20, toLatitude: 11, longitude: 20)
        #expect(abs(meters - 2 * .pi * 6_371_000 / 360) < 1e-6)
    }

    @Test(arguments: [
        (100, 1), (119, 1), (120, 2), (130, 2), (150, 3), (170, 4), (180, 5), (190, 5),
    ])
    func `Percent of maximum has its lower bounds inclusive`(beats: Double, zone: Int) {
        let bounds = ZoneBounds(profile: profile(maximum: 200, zones: .percentOfMaximum))
        #expect(bounds.count == 5)
        #expect(bounds.zone(beats) == zone)
    }

    @Test(arguments: [(120, 1), (121, 2), (140, 2), (155, 3), (170, 4), (171, 5)])
    func `Custom bounds are inclusive upper ones`(beats: Double, zone: Int) {
        let scheme = ZoneScheme.custom(upperBounds: [120, 140, 155, 170])
        #expect(ZoneBounds(profile: profile(maximum: 200, zones: scheme)).zone(beats) == zone)
    }

    @Test(arguments: [[120, 140], [100, 110, 120, 130, 140]])
    func `Custom bounds of another count fall back to percent of maximum`(bounds: [Int]) {
        let scheme = ZoneScheme.custom(upperBounds: bounds)
        #expect(ZoneBounds(profile: profile(maximum: 200, zones: scheme)).zone(150) == 3)
    }

    @Test(arguments: [
        (0, 1), (40, 1), (133.9, 1), (134, 2), (148, 3), (162, 4), (175.9, 4), (176, 5), (200, 5),
    ])
    func `Karvonen cuts the reserve of 50 to 190 at 134, 148, 162 and 176`(
        beats: Double, zone: Int
    ) {
        let bounds = ZoneBounds(profile: profile(maximum: 190, rest: 50, zones: .karvonen))
        #expect(bounds.zone(beats) == zone)
    }

    @Test(arguments: [
        (84, 1), (85, 2), (89.9, 2), (90, 3), (95, 4), (100, 5), (102.9, 5), (103, 6), (107, 7),
    ])
    func `Friel has seven zones by threshold`(beats: Double, zone: Int) {
        let bounds = ZoneBounds(profile: profile(maximum: 120, threshold: 100, zones: .friel))
        #expect(bounds.count == 7)
        #expect(bounds.zone(beats) == zone)
    }

    @Test(arguments: [(67, 1), (70, 2), (83, 2), (84, 3), (94, 3), (95, 4), (105, 4), (107, 5)])
    func `Coggan has five zones by threshold`(beats: Double, zone: Int) {
        let bounds = ZoneBounds(profile: profile(maximum: 120, threshold: 100, zones: .coggan))
        #expect(bounds.zone(beats) == zone)
    }

    @Test(arguments: [(81, 1), (82, 2), (87, 2), (88, 3)])
    func `Seiler has three zones`(beats: Double, zone: Int) {
        let bounds = ZoneBounds(profile: profile(maximum: 100, zones: .seiler))
        #expect(bounds.count == 3)
        #expect(bounds.zone(beats) == zone)
    }

    @Test func `A scheme by threshold without a threshold falls back to percent of maximum`() {
        #expect(ZoneBounds(profile: profile(maximum: 200, zones: .friel)).zone(150) == 3)
        #expect(ZoneBounds(profile: profile(maximum: 200, zones: .coggan)).zone(150) == 3)
    }

    @Test(arguments: [
        (-0.20, 0.5000), (-0.10, 0.5977), (0.0, 1.0), (0.05, 1.3014), (0.10, 1.6578),
        (0.20, 2.5019), (0.45, 5.3961),
    ])
    func `Minetti's cost of a slope against the flat`(slope: Double, factor: Double) {
        #expect(abs(Grade.factor(slope) - factor) < 5e-5)
    }

    @Test func `Running on the flat costs 3 point 6 joules a kilogram and meter`() {
        #expect(Grade.cost(0) == 3.6)
    }

    @Test(arguments: [(RunnerProfile.Sex.male, 31.803), (.female, 37.129)])
    func `Banister's impulse of half an hour at 130`(sex: RunnerProfile.Sex, impulse: Double) {
        let computed = TrainingStress.banister(
            minutes: 30, beatsPerMinute: 130, rest: 40, maximum: 200, sex: sex)
        #expect(abs(computed - impulse) < 5e-4)
    }

    @Test(arguments: [(1, 33.333), (4, 100.0), (5, 166.667)])
    func `An hour in a zone is its factor's share of hrTSS`(zone: Int, stress: Double) throws {
        var processor = TrainingStress()
        let profile = profile(maximum: 200, rest: 50, zones: .percentOfMaximum)
        for _ in 0..<3600 { processor.add(150, zone: zone, seconds: 1, profile: profile) }
        let load = try #require(processor.load(profile: profile))
        #expect(abs(try #require(load.hrTSS) - stress) < 1e-3)
        #expect(abs(try #require(load.edwards) - 60 * Double(zone)) < 1e-9)
    }

    @Test func `Three minutes give no hrTSS yet`() throws {
        var processor = TrainingStress()
        let profile = profile(maximum: 200, zones: .percentOfMaximum)
        for _ in 0..<180 { processor.add(150, zone: 3, seconds: 1, profile: profile) }
        let load = try #require(processor.load(profile: profile))
        #expect(load.hrTSS == nil)
        #expect(load.trimp == nil, "no resting heart rate is known")
    }

    @Test(arguments: [
        ([100.0, 200, 150, 250], 200.0, 50.0), ([100, 150, 120, 180], 110, 30),
    ])
    func `The reference's altitudes climb and fall as it says`(
        altitudes: [Double], gain: Double, loss: Double
    ) {
        var counter = ClimbCounter(threshold: 2)
        for altitude in altitudes { counter.add(altitude) }
        #expect(counter.gainMeters == gain)
        #expect(counter.lossMeters == loss)
    }

    @Test(arguments: [(299.0, 12.0), (300, 10), (359, 10), (360, 9), (420, 8), (480, 7)])
    func `Metabolic equivalents by pace`(pace: Double, equivalents: Double) {
        #expect(Energy.metabolicEquivalents(paceSecondsPerKm: pace) == equivalents)
    }

    @Test func `An hour of 10 km at 70 kg is 10 equivalents for an hour less`() {
        #expect(Energy.kilocalories(meters: 10_000, movingSeconds: 3600, weightKg: nil) == 630)
        #expect(Energy.kilocalories(meters: 0, movingSeconds: 60, weightKg: nil) == nil)
        #expect(Energy.effortKm(meters: 10_000, gainMeters: 250) == 12.5)
    }

    @Test(arguments: [
        (95.0, "excellent"), (90, "excellent"), (70, "good"), (50, "fair"), (49, "poor"),
    ])
    func `Compliance has the reference's words`(percent: Double, word: String) {
        #expect(TargetZoneCompliance(percent: percent).rawValue == word)
    }

    @Test(
        arguments: [
            (nil, GPSQuality.none), (-1.0, .none), (9.9, .veryGood), (10, .good), (19.9, .good),
            (20, .fair), (49.9, .fair), (50, .weak),
        ] as [(Double?, GPSQuality)])
    func `GPS quality has the reference's levels`(accuracy: Double?, quality: GPSQuality) {
        #expect(GPSQuality(horizontalAccuracy: accuracy) == quality)
    }
}
