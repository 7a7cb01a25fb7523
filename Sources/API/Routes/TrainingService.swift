import Foundation
import Processing
import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Transport

/// Fitness, fatigue and form of a device's wearer, over the sessions in the log.
///
/// A session's load is the one recorded with it. It uses the zones and the maximum of the session's
/// day, not those of the current profile.
struct TrainingService: Sendable {
    let sessions: SessionRoutes

    /// After ten times the 42 days of fitness a session has no effect.
    static let historyDays = 420
    static let shownDays = 1...400
    private static let shownDaysDefault = 28
    /// Limits the sessions that one request reads from the log.
    private static let sessionsMax = 2000
    /// Sessions computed in one request, as for a short page; ``ResultsUpkeep`` computes the
    /// others.
    private static let computedMax = 16

    func answer(_ request: HTTPRequest, for device: Device) async throws -> HTTPResponse {
        let days = try Self.days(request)
        let now = sessions.clock()
        let oldest = now.advanced(bySeconds: -Double(Self.historyDays) * 86_400)
        let recent = sessions.administration.catalog.page(
            of: .device(device.id), since: oldest, limit: Self.sessionsMax
        ).sessions.filter { $0.startTime <= now.advanced(bySeconds: 86_400) }
        // A run that was imported beside its recording counts once.
        let runs = RunOverlap.once(recent) { $0.deviceTimes ?? $0.arrivalTimes }
        let totals = try await sessions.totals(
            of: runs, for: .device(device.id), computingMost: Self.computedMax)
        let loads = runs.compactMap { summary in
            totals.known[summary.session].map {
                TrainingReport.Session(start: summary.startTime, totals: $0)
            }
        }
        return JSONBody.response(
            TrainingReport(
                sessions: loads, pending: totals.missing.count, at: now,
                timeZone: device.profile.timeZone, days: days))
    }

    private static func days(_ request: HTTPRequest) throws(APIRefusal) -> Int {
        guard let text = request.query["days"] else { return shownDaysDefault }
        guard let days = Int(text), shownDays.contains(days) else {
            throw .badField(
                name: "days", allowed: "\(shownDays.lowerBound) to \(shownDays.upperBound)")
        }
        return days
    }
}

/// The answer: today's form and the preceding days, by the runner's local clock.
struct TrainingReport: Encodable {
    struct Session: Sendable {
        let start: Timestamp
        /// Training load: hrTSS, or effort kilometers if the heart rate is insufficient.
        let load: Double
        let isByHeartRate: Bool

        init(start: Timestamp, totals: SessionResult.Totals) {
            self.start = start
            isByHeartRate = totals.hrTSS != nil
            load = totals.hrTSS ?? totals.effortKm ?? 0
        }
    }

    struct Day: Encodable {
        /// Date, as `2026-11-21`; the day ends at three in the morning of the next.
        let day: String
        let load: Double
        let sessions: Int
        /// Sessions among them whose load is effort kilometers, because they lack a heart rate.
        let sessionsByEffort: Int
        let fitness: NullableField<Double>
        let fatigue: NullableField<Double>
        let form: NullableField<Double>
        let acuteToChronic: NullableField<Double>
        let monotony: NullableField<Double>
        /// `injuryRisk`, `detraining`, or `null`.
        let warning: NullableField<String>
    }

    let timeZone: String
    /// Sessions whose load is still being computed. They are missing below; a later request has
    /// them.
    let sessionsPending: Int
    /// Days, oldest first; the last is today.
    let days: [Day]

    init(sessions: [Session], pending: Int = 0, at now: Timestamp, timeZone: String, days: Int) {
        sessionsPending = pending
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        func offset(_ time: Timestamp) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: time.secondsSince1970))
        }
        self.timeZone = zone.identifier == "GMT" ? "UTC" : zone.identifier
        let history = TrainingHistory(
            sessions: sessions.map {
                .init(start: $0.start, zoneOffsetSeconds: offset($0.start), load: $0.load)
            })
        let byDay = Dictionary(grouping: sessions) {
            TrainingHistory.day(of: $0.start, offset: offset($0.start))
        }
        let today = TrainingHistory.day(of: now, offset: offset(now))
        self.days = (today - days + 1...today).map { day in
            Day(day, sessions: byDay[day] ?? [], in: history)
        }
    }
}

extension TrainingReport.Day {
    fileprivate init(_ day: Int, sessions: [TrainingReport.Session], in history: TrainingHistory) {
        self.day = Date(timeIntervalSince1970: Double(day) * 86_400)
            .formatted(.iso8601.year().month().day())
        load = Self.rounded(history.load(on: day))
        self.sessions = sessions.count
        sessionsByEffort = sessions.count { !$0.isByHeartRate }
        let form = history.form(on: day)
        fitness = NullableField(form.map { Self.rounded($0.fitness) })
        fatigue = NullableField(form.map { Self.rounded($0.fatigue) })
        self.form = NullableField(form.map { Self.rounded($0.form) })
        acuteToChronic = NullableField(form?.acuteToChronic.map(Self.rounded))
        monotony = NullableField(form?.monotony.map(Self.rounded))
        let warning: String? =
            switch form {
            case let form? where form.risksInjury: "injuryRisk"
            case let form? where form.isDetraining: "detraining"
            default: nil
            }
        self.warning = NullableField(warning)
    }

    /// Rounds to two decimals: further digits are noise.
    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
