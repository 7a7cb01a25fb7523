public import SensorModel

/// Computes fitness, fatigue and form over many sessions (Banister's impulse and response, smoothed
/// as in the reference). Days end at 3 AM local time.
public struct TrainingHistory: Sendable {
    public struct Session: Hashable, Sendable {
        public var start: Timestamp
        /// Seconds east of Greenwich, at the time and place of the session.
        public var zoneOffsetSeconds: Int
        /// Training load: hrTSS, or its substitute.
        public var load: Double

        public init(start: Timestamp, zoneOffsetSeconds: Int, load: Double) {
            self.start = start
            self.zoneOffsetSeconds = zoneOffsetSeconds
            self.load = load
        }
    }

    /// How much alike the days of a week are: the reference's flags at 1.5 and 2.0.
    public enum MonotonyLevel: String, Sendable {
        case varied, normal, high
    }

    public struct Form: Hashable, Sendable {
        /// Chronic load: exponential mean over 42 days.
        public var fitness: Double
        /// Acute load: exponential mean over 7 days.
        public var fatigue: Double
        /// Fitness minus fatigue.
        public var form: Double
        /// Mean daily load of the last 7 days over that of the last 28; `nil` without load.
        public var acuteToChronic: Double?
        /// Mean over deviation of the last 7 days (Foster 1998), at most 10.
        public var monotony: Double?
        /// From 1.5 on normal, above 2 high; `nil` without load.
        public var monotonyLevel: MonotonyLevel? {
            monotony.map { $0 > 2 ? .high : $0 >= 1.5 ? .normal : .varied }
        }

        /// Days since the first session, including its day.
        public var historyDays: Int

        /// The reference's flags: above 1.5 injury, below 0.8 detraining (with fitness over 10).
        /// The first needs 28 days of history: otherwise the first run of all would raise an alarm.
        public var risksInjury: Bool { historyDays >= 28 && (acuteToChronic ?? 1) > 1.5 }
        public var isDetraining: Bool { (acuteToChronic ?? 1) < 0.8 && fitness > 10 }
    }

    public static let fitnessDays = 42.0
    public static let fatigueDays = 7.0
    public static let monotonyMax = 10.0

    /// Load of each day from the first day with a session; days without one are 0.
    public private(set) var dailyLoads: [Double] = []
    public private(set) var firstDay: Int?

    public init(sessions: [Session]) {
        let days = sessions.map { (Self.day(of: $0.start, offset: $0.zoneOffsetSeconds), $0.load) }
        guard let first = days.map(\.0).min(), let last = days.map(\.0).max() else { return }
        firstDay = first
        dailyLoads = [Double](repeating: 0, count: min(last - first + 1, 40_000))
        for (day, load) in days where day - first < dailyLoads.count {
            dailyLoads[day - first] += load
        }
    }

    /// Days since 1970 by the 3 AM rule: a time before 3 AM belongs to the day before.
    public static func day(of time: Timestamp, offset seconds: Int) -> Int {
        let local = time.microseconds / 1_000_000 + Int64(seconds) - 3 * 3600
        return Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400)
    }

    /// The Monday of a day's week; both in days since 1970, which began on a Thursday.
    public static func monday(of day: Int) -> Int { day - ((day + 3) % 7 + 7) % 7 }

    /// The form at the end of `day` (days since 1970, as in ``day(of:offset:)``).
    public func form(on day: Int) -> Form? {
        guard let firstDay, day >= firstDay else { return nil }
        var fitness = dailyLoads.first ?? 0
        var fatigue = fitness
        for index in 1..<max(day - firstDay + 1, 1) {
            let load = self.load(at: index)
            fitness += (load - fitness) * 2 / (Self.fitnessDays + 1)
            fatigue += (load - fatigue) * 2 / (Self.fatigueDays + 1)
        }
        let today = day - firstDay
        let week = (today - 6...today).map { load(at: $0) }
        let month = (today - 27...today).map { load(at: $0) }
        let chronic = month.reduce(0, +) / 28
        let acute = week.reduce(0, +) / 7
        return Form(
            fitness: fitness, fatigue: fatigue, form: fitness - fatigue,
            acuteToChronic: chronic > 0 ? acute / chronic : nil, monotony: Self.monotony(week),
            historyDays: today + 1)
    }

    static func monotony(_ loads: [Double]) -> Double? {
        let mean = loads.reduce(0, +) / Double(loads.count)
        guard mean > 0 else { return nil }
        let variance =
            loads.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(loads.count)
        return variance > 0 ? min(mean / variance.squareRoot(), monotonyMax) : monotonyMax
    }

    /// The load of a day, numbered as in ``day(of:offset:)``; 0 without a session.
    public func load(on day: Int) -> Double {
        firstDay.map { load(at: day - $0) } ?? 0
    }

    private func load(at index: Int) -> Double {
        dailyLoads.indices.contains(index) ? dailyLoads[index] : 0
    }
}
