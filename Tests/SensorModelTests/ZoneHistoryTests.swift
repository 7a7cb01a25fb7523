import SensorModel
import Testing

@Suite struct ZoneHistoryTests {
    private static let day = 86_400.0
    private static func at(_ days: Double) -> Timestamp {
        Timestamp(microseconds: 1_760_000_000_000_000).advanced(bySeconds: days * day)
    }

    private static func zones(_ maximum: Int) -> ZoneSettings {
        ZoneSettings(
            scheme: .karvonen, maxHeartRate: maximum, restingHeartRate: 50,
            thresholdHeartRate: nil)
    }

    /// Changes, and the maximum heart rate in force on days 0, 10, 20, 30.
    private static let cases: [([(to: Int, day: Double)], [Int])] = [
        ([], [180, 180, 180, 180]),
        ([(190, 15)], [180, 180, 190, 190]),
        ([(190, 5), (200, 25)], [180, 190, 190, 200]),
        // A backdated change: that of day 15 replaces later ones.
        ([(190, 5), (200, 25), (195, 15)], [180, 190, 195, 195]),
        // A correction of a value that was always wrong.
        ([(190, 5), (200, 25), (170, -1000)], [170, 170, 170, 170]),
        // A change that is undone changes nothing.
        ([(190, 5), (180, 5)], [180, 180, 180, 180]),
        // A change is in force from its time on, inclusive.
        ([(190, 10)], [180, 190, 190, 190]),
        // Future changes.
        ([(190, 25), (195, 28)], [180, 180, 180, 195]),
    ]

    @Test(arguments: cases.indices)
    func `A day has the zones that held on it`(index: Int) {
        let (changes, expected) = Self.cases[index]
        var history = ZoneHistory()
        var current = Self.zones(180)
        for change in changes {
            history.change(from: current, to: Self.zones(change.to), at: Self.at(change.day))
            current = Self.zones(change.to)
        }
        let held = [0.0, 10, 20, 30].map {
            history.settings(at: Self.at($0), current: current).maxHeartRate
        }
        #expect(held == expected)
    }

    @Test func `However often they change, the newest are kept`() {
        var history = ZoneHistory()
        for number in 0..<200 {
            history.change(
                from: Self.zones(100 + number % 100), to: Self.zones(100 + (number + 1) % 100),
                at: Self.at(Double(number)))
        }
        #expect(history.past.count == ZoneHistory.pastMax)
        #expect(history.past.last?.until == Self.at(199))
    }

    @Test func `A profile gives and takes its zones whole`() {
        var profile = RunnerProfile()
        let settings = ZoneSettings(
            scheme: .coggan, maxHeartRate: 201, restingHeartRate: 41, thresholdHeartRate: 170)
        profile.zoneSettings = settings
        #expect(profile.zoneSettings == settings)
        #expect(profile.maxHeartRate == 201 && profile.thresholdHeartRate == 170)
    }
}
