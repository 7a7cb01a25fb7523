import Foundation
import Processing
import Registry
import SensorModel

/// The answer: today's form, the preceding days and their weeks, by the runner's local clock.
struct TrainingReport: Encodable {
    struct Session: Sendable {
        /// What the load was computed from, in order of preference.
        enum Basis: Sendable {
            case heartRate, exertion, effort
        }

        let start: Timestamp
        /// Training load: hrTSS; the same scale by perceived exertion if the heart rate is
        /// insufficient; effort kilometers without either.
        let load: Double
        let basis: Basis
        let totals: SessionResult.Totals

        /// - Parameters:
        ///   - start: Start of the run.
        ///   - totals: Its totals.
        ///   - exertion: Perceived exertion, 1…10; `nil`: not told.
        init(start: Timestamp, totals: SessionResult.Totals, exertion: Int? = nil) {
            self.start = start
            self.totals = totals
            if let hrTSS = totals.hrTSS {
                (load, basis) = (hrTSS, .heartRate)
            } else if let exertion {
                load = TrainingStress.byExertion(exertion, movingSeconds: totals.movingSeconds)
                basis = .exertion
            } else {
                (load, basis) = (totals.effortKm ?? 0, .effort)
            }
        }
    }

    struct Day: Encodable {
        /// Date, as `2026-11-21`; the day ends at three in the morning of the next.
        let day: String
        let load: Double
        let sessions: Int
        /// Sessions among them whose load is by perceived exertion, because they lack a heart rate.
        let sessionsByExertion: Int
        /// Sessions among them whose load is effort kilometers, because they lack both.
        let sessionsByEffort: Int
        let fitness: NullableField<Double>
        let fatigue: NullableField<Double>
        let form: NullableField<Double>
        let acuteToChronic: NullableField<Double>
        let monotony: NullableField<Double>
        /// `varied`, `normal` or `high`, or `null`.
        let monotonyLevel: NullableField<String>
        /// `injuryRisk`, `detraining`, or `null`.
        let warning: NullableField<String>
    }

    /// Sums of a week, of its days among ``days``.
    struct Week: Encodable {
        /// Its Monday, as `2026-11-16`.
        let start: String
        let sessions: Int
        let distanceKm: Double
        let climbMeters: Double
        let movingSeconds: Double
        let load: Double
    }

    let timeZone: String
    /// Sessions whose load is still being computed. They are missing below; a later request has
    /// them.
    let sessionsPending: Int
    /// Days, oldest first; the last is today.
    let days: [Day]
    /// Weeks of ``days``, oldest first.
    let weeks: [Week]
    /// How the newest run's heart rate compares with others at its pace; `null`: too few of them.
    let heartRateDrift: NullableField<Drift>

    struct Drift: Encodable {
        let percent: Double
        let runs: Int
        let isWarned: Bool
    }

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
        let shown = today - days + 1...today
        self.days = shown.map { Day($0, sessions: byDay[$0] ?? [], in: history) }
        heartRateDrift = NullableField(
            HeartRateDrift(sessions.compactMap(\.run), at: now).map {
                Drift(percent: Self.rounded($0.percent), runs: $0.runs, isWarned: $0.isWarned)
            })
        let byWeek = Dictionary(grouping: shown, by: TrainingHistory.monday)
        weeks = byWeek.keys.sorted().map { monday in
            let days = byWeek[monday] ?? []
            return Week(
                monday, sessions: days.flatMap { byDay[$0] ?? [] },
                load: days.reduce(0) { $0 + history.load(on: $1) })
        }
    }
}

extension TrainingReport.Session {
    /// Shortest way whose pace is compared, meters.
    private static let comparedMetersMin = 1000.0

    /// Its pace and heart rate; `nil` where one is unknown, or the way is short.
    fileprivate var run: HeartRateDrift.Run? {
        guard let meters = totals.distanceMeters, meters >= Self.comparedMetersMin,
            let beats = totals.averageHeartRate
        else { return nil }
        return HeartRateDrift.Run(
            start: start, secondsPerKm: totals.movingSeconds / meters * 1000, beatsPerMinute: beats)
    }
}

extension TrainingReport {
    /// The date of a day that is counted from 1970.
    static func date(_ day: Int) -> String {
        Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
    }

    /// Rounds to two decimals: further digits are noise.
    fileprivate static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

extension TrainingReport.Week {
    fileprivate init(_ monday: Int, sessions: [TrainingReport.Session], load: Double) {
        func sum(_ value: (SessionResult.Totals) -> Double?) -> Double {
            TrainingReport.rounded(sessions.reduce(0) { $0 + (value($1.totals) ?? 0) })
        }
        start = TrainingReport.date(monday)
        self.sessions = sessions.count
        distanceKm = sum { $0.distanceMeters.map { $0 / 1000 } }
        climbMeters = sum(\.elevationGainMeters)
        movingSeconds = sum(\.movingSeconds)
        self.load = TrainingReport.rounded(load)
    }
}

extension TrainingReport.Day {
    fileprivate init(_ day: Int, sessions: [TrainingReport.Session], in history: TrainingHistory) {
        self.day = TrainingReport.date(day)
        load = TrainingReport.rounded(history.load(on: day))
        self.sessions = sessions.count
        sessionsByExertion = sessions.count { $0.basis == .exertion }
        sessionsByEffort = sessions.count { $0.basis == .effort }
        let form = history.form(on: day)
        fitness = NullableField(form.map { TrainingReport.rounded($0.fitness) })
        fatigue = NullableField(form.map { TrainingReport.rounded($0.fatigue) })
        self.form = NullableField(form.map { TrainingReport.rounded($0.form) })
        acuteToChronic = NullableField(form?.acuteToChronic.map(TrainingReport.rounded))
        monotony = NullableField(form?.monotony.map(TrainingReport.rounded))
        monotonyLevel = NullableField(form?.monotonyLevel?.rawValue)
        let warning: String? =
            switch form {
            case let form? where form.risksInjury: "injuryRisk"
            case let form? where form.isDetraining: "detraining"
            default: nil
            }
        self.warning = NullableField(warning)
    }
}
