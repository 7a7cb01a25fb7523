import Client
import Foundation
import Registry
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Runtime
@testable import API

/// Training load over sessions, and heart-rate zones by date.
@Suite(.serialized) struct TrainingServiceTests {
    private static func time(_ text: String) -> Timestamp {
        let date = ISO8601DateFormatter().date(from: text) ?? .distantPast
        return Timestamp(secondsSince1970: date.timeIntervalSince1970)
            ?? Timestamp(microseconds: 0)
    }

    private static func session(_ start: String, hrTSS: Double?, effortKm: Double? = nil)
        -> TrainingReport.Session
    {
        var metrics = Metrics()
        metrics.trainingLoad = TrainingLoad(hrTSS: hrTSS, trimp: nil, edwards: nil)
        metrics.effortKm = effortKm
        return TrainingReport.Session(start: time(start), totals: .init(metrics))
    }

    private func object(_ report: TrainingReport) throws -> [[String: Any]] {
        let data = try JSONEncoder().encode(report)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return object?["days"] as? [[String: Any]] ?? []
    }

    @Test(arguments: [
        ("UTC", ["2026-11-18": 10.0, "2026-11-19": 20, "2026-11-20": 0]),
        // 11 p.m. and 3 a.m. of the same night.
        ("Europe/Berlin", ["2026-11-18": 10, "2026-11-19": 20, "2026-11-20": 0]),
        ("America/New_York", ["2026-11-18": 30, "2026-11-19": 0, "2026-11-20": 0]),
        ("Asia/Tokyo", ["2026-11-18": 0, "2026-11-19": 30, "2026-11-20": 0]),
    ])
    func `Loads fall on the runner's own days, which end at three`(
        zone: String, loads: [String: Double]
    ) throws {
        let report = TrainingReport(
            sessions: [
                Self.session("2026-11-18T22:30:00Z", hrTSS: 10),
                Self.session("2026-11-19T03:30:00Z", hrTSS: 20),
            ], at: Self.time("2026-11-20T12:00:00Z"), timeZone: zone, days: 3)
        let days = try object(report)
        #expect(days.compactMap { $0["day"] as? String } == loads.keys.sorted())
        for day in days {
            #expect(day["load"] as? Double == loads[day["day"] as? String ?? ""])
        }
        #expect(report.timeZone == zone)
    }

    @Test func `Form is computed, warned of, and null before the first session`() throws {
        // Six easy weeks, then one with four times the load; by effort without heart rates.
        let starts = (0..<49).map { day in
            Self.time("2026-10-01T10:00:00Z").advanced(bySeconds: Double(day) * 86_400)
        }
        let sessions = starts.enumerated().map { index, start in
            var metrics = Metrics()
            if index % 2 == 0 {
                metrics.trainingLoad = TrainingLoad(
                    hrTSS: index < 42 ? 20 : 80, trimp: nil, edwards: nil)
            } else {
                metrics.effortKm = index < 42 ? 20 : 80
            }
            return TrainingReport.Session(start: start, totals: .init(metrics))
        }
        let days = try object(
            TrainingReport(
                sessions: sessions, at: Self.time("2026-11-18T20:00:00Z"), timeZone: "UTC",
                days: 60))
        let today = try #require(days.last)
        #expect(today["day"] as? String == "2026-11-18")
        #expect(today["acuteToChronic"] as? Double == 2.29)
        #expect(today["warning"] as? String == "injuryRisk")
        #expect(today["monotony"] as? Double == 10)
        #expect(today["monotonyLevel"] as? String == "high")
        let fitness = try #require(today["fitness"] as? Double)
        let fatigue = try #require(today["fatigue"] as? Double)
        #expect(abs(fitness - 37.01) < 0.01)
        #expect(abs(fatigue - 71.99) < 0.01)
        #expect(abs(try #require(today["form"] as? Double) - (fitness - fatigue)) < 0.011)
        #expect(days.map { $0["sessionsByEffort"] as? Int ?? 0 }.reduce(0, +) == 24)
        #expect(days.first?["fitness"] is NSNull)
        #expect(days.first?["load"] as? Double == 0)
    }

    @Test func `Heart rate comes before exertion, and exertion before effort`() throws {
        func session(hrTSS: Double?, exertion: Int?) -> TrainingReport.Session {
            var metrics = Metrics()
            metrics.movingSeconds = 3600
            metrics.effortKm = 11
            metrics.trainingLoad = hrTSS.map {
                TrainingLoad(hrTSS: $0, trimp: nil, edwards: nil)
            }
            return TrainingReport.Session(
                start: Self.time("2026-11-20T10:00:00Z"), totals: .init(metrics),
                exertion: exertion)
        }
        #expect(session(hrTSS: 70, exertion: 8).load == 70)
        #expect(abs(session(hrTSS: nil, exertion: 8).load - 100) < 1e-9)
        #expect(session(hrTSS: nil, exertion: nil).load == 11)
        let report = TrainingReport(
            sessions: [
                session(hrTSS: 70, exertion: 8), session(hrTSS: nil, exertion: 3),
                session(hrTSS: nil, exertion: nil),
            ], at: Self.time("2026-11-20T12:00:00Z"), timeZone: "UTC", days: 1)
        #expect(report.days.map(\.sessionsByExertion) == [1])
        #expect(report.days.map(\.sessionsByEffort) == [1])
    }

    @Test func `Weeks begin on Monday and have the sums of the days that are shown`() throws {
        var metrics = Metrics()
        metrics.distanceMeters = 5250
        metrics.elevationGainMeters = 40
        metrics.movingSeconds = 1800
        metrics.effortKm = 5.65
        // A Sunday at 2 in the night of Monday, and a Monday and a Thursday.
        let sessions = ["2026-11-16T02:30:00Z", "2026-11-16T12:00:00Z", "2026-11-19T12:00:00Z"]
            .map { TrainingReport.Session(start: Self.time($0), totals: .init(metrics)) }
        let report = TrainingReport(
            sessions: sessions, at: Self.time("2026-11-20T12:00:00Z"), timeZone: "UTC", days: 7)
        let weeks = report.weeks.map { [$0.start, "\($0.sessions)", "\($0.distanceKm)"] }
        #expect(weeks == [["2026-11-09", "1", "5.25"], ["2026-11-16", "2", "10.5"]])
        #expect(report.weeks.map(\.climbMeters) == [40, 80])
        #expect(report.weeks.map(\.movingSeconds) == [1800, 3600])
        #expect(report.weeks.map(\.load) == [5.65, 11.3])
    }

    @Test func `A heart that beats faster at the same pace is told`() throws {
        let sessions = (0..<5).map { day in
            var metrics = Metrics()
            metrics.distanceMeters = 6000
            metrics.movingSeconds = 1800
            metrics.averageHeartRate = day == 4 ? 165 : 150
            return TrainingReport.Session(
                start: Self.time("2026-11-10T10:00:00Z").advanced(bySeconds: Double(day) * 86_400),
                totals: .init(metrics))
        }
        func drift(_ sessions: [TrainingReport.Session]) throws -> Any? {
            let report = TrainingReport(
                sessions: sessions, at: Self.time("2026-11-20T12:00:00Z"), timeZone: "UTC", days: 7)
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
            return (object as? [String: Any])?["heartRateDrift"]
        }
        let told = try #require(try drift(sessions) as? [String: Any])
        #expect(told["percent"] as? Double == 10 && told["isWarned"] as? Bool == true)
        #expect(told["runs"] as? Int == 5)
        #expect(try drift(Array(sessions.dropFirst())) is NSNull)
    }

    // MARK: With a running daemon

    /// Sends a six-minute recording of another day with a constant heart rate.
    private func sendRecording(
        _ beats: Int, on start: Timestamp, token: String, number: UInt64,
        to running: RunningDaemon
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        let session = SessionID(high: 0x4000 + number, low: 0x8000_0000_0000_0000)
        var hello = Hello(token: token, session: session)
        hello.recorded = true
        try await client.send(hello)
        let count = 80
        for index in 0..<count {
            let time = start.secondsSince1970 + 5 * Double(index)
            let line =
                #"{"type":"heartRate","heartRate":\#(beats),"timestamp":\#(time),"seq":\#(index + 1)}"#
            try await client.send(text: Array(line.utf8))
        }
        let stop =
            #"{"type":"control","action":"stop","timestamp":\#(start.secondsSince1970 + 400),"seq":\#(count + 1)}"#
        try await client.send(text: Array(stop.utf8))
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue > count { break }
        }
        await client.close()
    }

    private func loads(
        _ running: RunningDaemon, token: String
    ) async throws -> [Double] {
        let answer = try await running.ask(.get, "/v1/me/training?days=60", token: token)
        #expect(answer.status == 200)
        let days = answer.object["days"] as? [[String: Any]] ?? []
        #expect(days.count == 60)
        return days.compactMap { $0["load"] as? Double }.filter { $0 > 0 }
    }

    @Test func `A session is computed with the zones of its day, and stays so`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let now = WallClock.now()
            let (early, late) = (
                now.advanced(bySeconds: -40 * 86_400), now.advanced(bySeconds: -10 * 86_400)
            )
            let change = Date(timeIntervalSince1970: now.secondsSince1970 - 20 * 86_400)
                .formatted(.iso8601.year().month().day())
            // 160 is 84 % of 190 and 76 % of 210: zone 4, then zone 3.
            let put = try await running.ask(
                .put, "/v1/me/profile", token: token,
                fields: ["Content-Type": "application/json"],
                body: #"{"maxHeartRate":210,"zonesFrom":"\#(change)"}"#)
            #expect(put.status == 200)
            let past = put.object["pastZones"] as? [[String: Any]] ?? []
            #expect(past.map { $0["maxHeartRate"] as? Int } == [190])
            try await sendRecording(160, on: early, token: token, number: 1, to: running)
            try await sendRecording(160, on: late, token: token, number: 2, to: running)
            let told = try await loads(running, token: token)
            try #require(told.count == 2)
            #expect(abs(told[0] / told[1] - 1.5) < 0.01, "zone 4 weighs 3, zone 3 weighs 2")
            _ = try await running.ask(
                .put, "/v1/me/profile", token: token,
                fields: ["Content-Type": "application/json"], body: #"{"maxHeartRate":165}"#)
            #expect(try await loads(running, token: token) == told)
            let admin = try await running.admin(.get, "/devices/ann/training?days=60")
            #expect(admin.status == 200)
        }
    }

    @Test func `The first zones that are set hold for what was run before, the next do not`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            for (bpm, past) in [(200, []), (210, [200])] {
                let put = try await running.ask(
                    .put, "/v1/me/profile", token: token,
                    fields: ["Content-Type": "application/json"],
                    body: #"{"maxHeartRate":\#(bpm)}"#)
                let told = put.object["pastZones"] as? [[String: Any]] ?? []
                #expect(told.map { $0["maxHeartRate"] as? Int } == past)
            }
        }
    }

    @Test(arguments: ["2026-13-01", "2026-02-30", "yesterday", "26-02-03", "2026-2-3", ""])
    func `What is no day is refused`(day: String) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let put = try await running.ask(
                .put, "/v1/me/profile", token: token,
                fields: ["Content-Type": "application/json"], body: #"{"zonesFrom":"\#(day)"}"#)
            #expect(put.status == 400)
            for wrong in ["0", "401", "x", "-1"] {
                let path = "/v1/me/training?days=\(wrong)"
                #expect(try await running.ask(.get, path, token: token).status == 400)
            }
        }
    }
}
