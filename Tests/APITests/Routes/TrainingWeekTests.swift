import Foundation
import SensorModel
import Testing

@testable import API

@Suite struct TrainingWeekTests {
    /// Friday, 20 November 2026.
    private static let now = time("2026-11-20T12:00:00Z")

    private static func time(_ text: String) -> Timestamp {
        let date = ISO8601DateFormatter().date(from: text) ?? .distantPast
        return Timestamp(secondsSince1970: date.timeIntervalSince1970)
            ?? Timestamp(microseconds: 0)
    }

    @Test(arguments: [
        ("2026-11-16T10:00:00Z", "UTC", 0),
        ("2026-11-18T02:59:00Z", "UTC", 1),  // before three it is still Tuesday
        ("2026-11-18T03:00:00Z", "UTC", 2),
        ("2026-11-18T00:30:00Z", "Asia/Seoul", 2),  // half past nine in the morning
        ("2026-11-17T17:30:00Z", "Asia/Seoul", 1),  // half past two at night
        ("2026-11-18T10:30:00Z", "America/Los_Angeles", 1),
    ])
    func `A session counts for the runner's own day, which ends at three in the morning`(
        start: String, zone: String, day: Int
    ) {
        var week = TrainingWeek(at: Self.now, timeZone: zone)
        #expect(!week.knows(Self.time(start)...Self.time(start)))
        week.add(sessionStart: Self.time(start))
        #expect(week.knows(Self.time(start)...Self.time(start)))
        #expect(week.start == "2026-11-16")
        #expect(week.days.indices.filter { week.days[$0] } == [day])
    }

    @Test func `Sessions of other weeks are passed over`() {
        let others = ["2026-11-16T02:00:00Z", "2026-11-23T10:00:00Z"].map(Self.time)
        var week = TrainingWeek(at: Self.now, timeZone: "UTC")
        for other in others {
            #expect(week.knows(other...other))
            week.add(sessionStart: other)
        }
        #expect(week.days == Array(repeating: false, count: 7))
    }

    @Test func `A week begins where the runner is`() {
        let monday = Self.time("2026-11-22T20:00:00Z")
        #expect(
            TrainingWeek(at: monday, timeZone: "Asia/Seoul").start == "2026-11-23")
        #expect(TrainingWeek(at: monday, timeZone: "UTC").start == "2026-11-16")
    }

    @Test func `A session may add a day unless all its days are known`() {
        var week = TrainingWeek(at: Self.now, timeZone: "UTC")
        let overnight = Self.time("2026-11-18T23:00:00Z")...Self.time("2026-11-19T04:00:00Z")
        #expect(!week.knows(overnight))
        week.add(sessionStart: overnight.lowerBound)
        // The shown part of the session may begin on the next day.
        #expect(!week.knows(overnight))
        week.add(sessionStart: overnight.upperBound)
        #expect(week.knows(overnight))
        #expect(!week.knows(Self.time("2026-01-01T00:00:00Z")...Self.now))
    }
}
