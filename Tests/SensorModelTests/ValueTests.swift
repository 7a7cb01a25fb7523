import SensorModel
import Testing

@Suite struct ValueTests {
    @Test func `The limits do not contradict each other`() {
        Limits.checkRelations()
    }

    @Test(
        arguments: [
            (0.0, 0), (1.5, 1_500_000), (-0.0000004, 0),
            (1_763_700_000.123456, 1_763_700_000_123_456),
        ] as [(Double, Int64)])
    func `Seconds become whole microseconds`(seconds: Double, microseconds: Int64) {
        #expect(Timestamp(secondsSince1970: seconds)?.microseconds == microseconds)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e13, -1e13])
    func `What no clock can say is no time`(seconds: Double) {
        #expect(Timestamp(secondsSince1970: seconds) == nil)
    }

    @Test(arguments: [
        (0.0, 1_760_000_000.0), (90.5, 1_760_000_090.5), (1_760_000_030, 1_760_000_030),
        (-5, -5),
    ])
    func `A small time counts from its recording's start`(seconds: Double, isAt: Double) {
        let start = Timestamp(microseconds: 1_760_000_000_000_000)
        #expect(Timestamp(seconds: seconds, inRecordingFrom: start)?.secondsSince1970 == isAt)
    }

    @Test(
        arguments: [
            (1.5, 1_500_000), (.nan, 0), (.infinity, .max), (-.infinity, .min), (1e300, .max),
            (-3e13, .min), (9e12, 9_000_000_000_000_000_000),
        ] as [(Double, Int64)])
    func `Any number of seconds leads to a time`(seconds: Double, microseconds: Int64) {
        let zero = Timestamp(microseconds: 0)
        #expect(zero.advanced(bySeconds: seconds).microseconds == microseconds)
        let last = Timestamp(microseconds: .max)
        #expect(seconds <= 0 || last.advanced(bySeconds: seconds) == last)
    }

    @Test(
        arguments: [(1_999_999, 1_000_000), (-1, -1_000_000), (0, 0), (-1_000_000, -1_000_000)]
            as [(Int64, Int64)])
    func `A whole second lies at or before the moment`(moment: Int64, second: Int64) {
        #expect(Timestamp(microseconds: moment).wholeSecond.microseconds == second)
    }

    @Test(arguments: [20.0, 250, 152.34])
    func `A heart can beat so fast`(beats: Double) throws {
        let sample = try HeartRateSample(beatsPerMinute: beats)
        #expect(abs(sample.beatsPerMinute - beats) <= 0.05)
    }

    @Test(arguments: [19.99, 250.1, -1, .nan, .infinity])
    func `A heart cannot beat so fast`(beats: Double) {
        #expect(throws: SensorError.self) { try HeartRateSample(beatsPerMinute: beats) }
    }

    @Test(arguments: [(90.1, 0.0, 0.0), (-90.1, 0, 0), (0, 180.1, 0), (0, 0, 9001), (.nan, 0, 0)])
    func `A place that is not on Earth is refused`(
        latitude: Double, longitude: Double, altitude: Double
    ) {
        #expect(throws: SensorError.self) {
            try Location(latitude: latitude, longitude: longitude, altitude: altitude)
        }
    }

    @Test func `Negative accuracy, speed and course mean unknown`() throws {
        let location = try Location(
            latitude: 48.1, longitude: 11.5, horizontalAccuracy: -1, verticalAccuracy: -1,
            speed: -1, course: -1)
        #expect(location.horizontalAccuracy == nil)
        #expect(location.verticalAccuracy == nil)
        #expect(location.speed == nil)
        #expect(location.course == nil)
    }

    @Test func `A location lies on the wire's grid`() throws {
        let location = try Location(
            latitude: 48.123456789, longitude: 11.987654321, altitude: 512.3456,
            horizontalAccuracy: 4.26, speed: 3.127, course: 359.999)
        #expect(location.latitude == 48.1234568)
        #expect(location.longitude == 11.9876543)
        #expect(location.altitude == 512.35)
        #expect(location.horizontalAccuracy == 4.3)
        #expect(location.speed == 3.13)
        #expect(location.course == 0)
    }

    @Test(
        arguments: [
            ("heartRate", .heartRate), ("heartRate, location", [.heartRate, .location]),
            ("metrics,heartRate,location", .all),
        ] as [(String, Scope)])
    func `A scope is read from its parts`(names: String, scope: Scope) {
        #expect(Scope(names: names) == scope)
    }

    @Test(arguments: ["", "heartrate", "heartRate,,", "all"])
    func `Another text is no scope`(names: String) {
        #expect(Scope(names: names) == nil)
    }

    @Test func `Close codes say whether to come back`() {
        let back = CloseCode.allCases.filter(\.mayReconnect)
        #expect(back == [.goingAway, .restarting, .tryAgainLater, .tooSlow, .tooManyRequests])
        #expect(CloseCode.allCases.allSatisfy { !$0.reason.isEmpty })
    }
}
