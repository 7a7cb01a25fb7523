import SensorModel
import Testing
import WireFormat

@Suite struct SessionHeadCodecTests {
    private static var fullProfile: RunnerProfile {
        var profile = RunnerProfile()
        profile.placement = .ankle
        profile.maxHeartRate = 201
        profile.restingHeartRate = 44
        profile.thresholdHeartRate = 172
        profile.zones = .custom(upperBounds: [120, 140, 155, 170])
        profile.weightKg = 71.25
        profile.sex = .female
        profile.timeZone = "Atlantic/Azores"
        profile.targetZone = 3
        profile.targetPaceSecondsPerKm = 330
        profile.raceKm = 21.0975
        profile.treadmill = true
        profile.autoPause = .reference
        profile.strideCalibration = StrideCalibration(slope: 0.0071, intercept: -0.1)
        profile.safetyTimerSeconds = 7200
        return profile
    }

    private static let schemes: [ZoneScheme] = [
        .percentOfMaximum, .karvonen, .friel, .coggan, .seiler, .custom(upperBounds: []),
    ]

    @Test func `A profile comes back`() throws {
        var planned = Self.fullProfile
        planned.intervals = IntervalPlan(phases: [.seconds(600), .meters(1000), .seconds(90)])
        var experienced = Self.fullProfile
        experienced.recentRuns = (1...RecentRun.countMax).compactMap {
            RecentRun(meters: $0 * 5000, climbMeters: $0 % 3 * 400, movingSeconds: $0 * 1711)
        }
        var both = experienced
        both.intervals = planned.intervals
        var profiles = [RunnerProfile(), Self.fullProfile, planned, experienced, both]
        for scheme in Self.schemes {
            var profile = RunnerProfile()
            profile.zones = scheme
            profiles.append(profile)
        }
        for profile in profiles {
            var bytes: [UInt8] = [1, 2, 3]
            ProfileCodec.encode(profile, to: &bytes)
            let record = bytes.span.extracting(3..<bytes.count)
            #expect(try ProfileCodec.decode(record) == profile)
            for cut in 3..<bytes.count {
                #expect(throws: RecordRefusal.self) {
                    try ProfileCodec.decode(bytes.span.extracting(3..<cut))
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `A head comes back`(recorded: Bool) throws {
        let head = SessionHead(
            session: SessionID(high: .max, low: 5), device: DeviceID(rawValue: 77),
            arrivalTime: BinaryFrameTests.arrival, recorded: recorded, profile: Self.fullProfile,
            algorithmVersion: 3)
        var bytes: [UInt8] = []
        SessionHeadCodec.encode(head, to: &bytes)
        #expect(try SessionHeadCodec.decode(bytes.span) == head)
        for cut in 0..<bytes.count {
            #expect(throws: RecordRefusal.self) {
                try SessionHeadCodec.decode(bytes.span.extracting(0..<cut))
            }
        }
    }

    @Test func `Flipped bytes are refused or mean something`() {
        var random = SplitMix(state: 4)
        let head = SessionHead(
            session: SessionID(high: 1, low: 5), device: DeviceID(rawValue: 77),
            arrivalTime: BinaryFrameTests.arrival, recorded: false, profile: Self.fullProfile,
            algorithmVersion: 3)
        var bytes: [UInt8] = []
        SessionHeadCodec.encode(head, to: &bytes)
        for _ in 0..<3000 {
            var flipped = bytes
            flipped[Int.random(in: 0..<bytes.count, using: &random)] ^=
                UInt8.random(in: 1...255, using: &random)
            _ = try? SessionHeadCodec.decode(flipped.span)
        }
    }
}
