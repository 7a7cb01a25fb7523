import SensorModel

/// Merges a session's measured values with the values computed each second.
///
/// A position is a point at its own time, with the heart rate that came with it or was valid then.
/// A second without a position becomes a point if it has a heart rate or a sensor's value. A second
/// without either keeps its row if steps were detected.
struct MeasuredPoints {
    private struct Fix {
        var time: Timestamp
        var location: Location
    }

    private struct Rate {
        var time: Timestamp
        var beatsPerMinute: Double
        var source: String?
        var isOfMotion: Bool
    }

    /// Within this time a row supplies all its values to a point; beyond it, only the distance.
    static let nearSeconds = 2.0
    /// Time for which a heart rate that came without a position is valid.
    private static let heldSeconds = 15.0

    private var fixes: [Fix] = []
    private var rates: [Rate] = []
    /// Whether all items came in order of time.
    private var isSorted = true
    private var source: String?
    private var sources: Set<String?> = []

    /// Memory in bytes.
    var bytes: Int {
        fixes.count * MemoryLayout<Fix>.stride + rates.count * MemoryLayout<Rate>.stride
    }

    /// Memory in bytes of the temporary copies that ``sortAndFilter(rows:shownSources:)`` makes.
    var sortingBytes: Int { isSorted ? 0 : 2 * bytes }

    /// Maximum number of points in all lists while they are made, once it is sorted.
    func pointsMax(
        rows: [SessionPoint], sensors: [RecordedSession.MeasuredMoment]
    ) -> Int {
        var times: [Timestamp] = []
        forEachMeasured { times.append($0.time) }
        let added = Self.added(times.count, { times[$0] }, rows).count
        let sum = times.count + added + sensors.count
        // When points are added, a list without them and one with them exist at once.
        return sum > times.count ? 2 * sum : sum
    }

    mutating func take(_ frame: Frame) {
        switch frame.payload {
        case .location(let location):
            isSorted = isSorted && fixes.last.map { $0.time <= frame.deviceTime } ?? true
            fixes.append(Fix(time: frame.deviceTime, location: location))
        case .heartRate(let sample) where sample.contact != .off:
            add(sample.beatsPerMinute, at: frame.deviceTime, isOfMotion: false)
        case .motion(let batch):
            guard let rate = batch.heartRate else { return }
            takeMotion(Double(rate), at: frame.deviceTime)
        case .source(let name): source = name
        default: break
        }
    }

    /// Adds the heart rate of a motion frame, beats/min.
    mutating func takeMotion(_ beatsPerMinute: Double, at time: Timestamp) {
        add(beatsPerMinute, at: time, isOfMotion: true)
    }

    private mutating func add(_ beatsPerMinute: Double, at time: Timestamp, isOfMotion: Bool) {
        let rate = Rate(
            time: time, beatsPerMinute: beatsPerMinute, source: source, isOfMotion: isOfMotion)
        sources.insert(source)
        isSorted = isSorted && rates.last.map { $0.time <= time } ?? true
        // Every motion batch repeats the rate, so one a second is enough.
        if isOfMotion, let last = rates.last, last.isOfMotion,
            last.time.wholeSecond == time.wholeSecond
        {
            rates[rates.count - 1] = rate
        } else {
            rates.append(rate)
        }
    }

    /// Sorts by time, and keeps only rates of the sensor that was shown.
    ///
    /// - Parameters:
    ///   - rows: Rows of the session, one a second, in rising order.
    ///   - shownSources: The sensor behind each row's heart rate.
    mutating func sortAndFilter(rows: [SessionPoint], shownSources: [String?]) {
        // Equal times keep their order.
        func order<Item>(_ items: [Item], by time: (Item) -> Timestamp) -> [Item] {
            items.enumerated().sorted {
                (time($0.element), $0.offset) < (time($1.element), $1.offset)
            }.map(\.element)
        }
        if !isSorted {
            fixes = order(fixes) { $0.time }
            rates = order(rates) { $0.time }
            isSorted = true
        }
        guard sources.count > 1 else { return }
        var index = 0
        rates.removeAll { rate in
            while index < rows.count, rows[index].time < rate.time { index += 1 }
            guard index < rows.count, rows[index].heartRate != nil else { return false }
            return rate.source != shownSources[index]
        }
    }

    /// Fills in measured positions, heart rates and power in rows where they were live.
    func complete(
        _ rows: inout [SessionPoint], sensors: [RecordedSession.MeasuredMoment]
    ) {
        var newest = NewestMeasured(sensors)
        var fix = 0
        var rate = 0
        for index in rows.indices {
            let time = rows[index].time
            while fix < fixes.count, fixes[fix].time <= time { fix += 1 }
            while rate < rates.count, rates[rate].time <= time { rate += 1 }
            if rows[index].latitude != nil, fix > 0 { rows[index].place(fixes[fix - 1].location) }
            if rows[index].heartRate != nil, rate > 0 {
                rows[index].heartRate = rates[rate - 1].beatsPerMinute
            }
            newest.move(to: time)
            rows[index].powerWatts = newest.value(.power, at: time)
        }
    }

    /// - Parameters:
    ///   - rows: Rows of the session, one a second, in rising order.
    ///   - sensors: Values that sensors computed, in order of time.
    /// - Returns: The measured points, and the rows between them.
    func points(
        rows: [SessionPoint], sensors: [RecordedSession.MeasuredMoment]
    ) -> [SessionPoint] {
        var points: [SessionPoint] = []
        points.reserveCapacity(fixes.count + rates.count)
        forEachMeasured { points.append($0) }
        points = Self.filled(Self.joined(points, sensors), rows)
        var newest = NewestMeasured(sensors)
        var next = 0
        for index in points.indices {
            let time = points[index].time
            while next < rows.count, rows[next].time < time { next += 1 }
            if next < rows.count, rows[next].time.seconds(since: time) <= Self.nearSeconds {
                points[index].complete(by: rows[next])
            } else if next > 0 {
                points[index].distanceMeters = rows[next - 1].distanceMeters
                points[index].steps = rows[next - 1].steps
            }
            newest.move(to: time)
            newest.complete(&points[index])
        }
        return points
    }

    /// Adds a point for each second in which only a sensor computed values. It adds more if a
    /// sensor has several values of exactly the same time.
    private static func joined(
        _ points: [SessionPoint], _ sensors: [RecordedSession.MeasuredMoment]
    ) -> [SessionPoint] {
        guard !sensors.isEmpty else { return points }
        var result: [SessionPoint] = []
        result.reserveCapacity(points.count + sensors.count)
        var next = 0
        var rest = sensors[...]
        while let first = rest.first {
            let second = first.time.wholeSecond
            let moments = rest.prefix { $0.time.wholeSecond == second }
            rest = rest.dropFirst(moments.count)
            var there = 0
            while next < points.count, points[next].time.wholeSecond <= second {
                if points[next].time.wholeSecond == second { there += 1 }
                result.append(points[next])
                next += 1
            }
            let time = there > 0 ? max(first.time, result.last?.time ?? first.time) : first.time
            for _ in there..<max(there, repeats(in: moments)) {
                result.append(SessionPoint(time: time))
            }
        }
        return result + points[next...]
    }

    /// The largest number of values that one sensor has of one time.
    private static func repeats(in moments: ArraySlice<RecordedSession.MeasuredMoment>) -> Int {
        guard moments.count > 1 else { return moments.count }
        var counts: [Sender: Int] = [:]
        for moment in moments {
            let sender = Sender(
                source: moment.values.source, placement: moment.values.placement,
                time: moment.time)
            counts[sender, default: 0] += 1
        }
        return counts.values.max() ?? 0
    }

    private struct Sender: Hashable {
        var source: String?
        var placement: MeasuredValues.Placement?
        var time: Timestamp
    }

    private func forEachMeasured(_ body: (SessionPoint) -> Void) {
        var held: Rate?
        var last: Timestamp?
        var next = 0
        func takeRates(before end: Timestamp?) {
            while next < rates.count, end.map({ rates[next].time < $0 }) ?? true {
                let rate = rates[next]
                next += 1
                held = rate
                let second = rate.time.wholeSecond
                let isAlone = last?.wholeSecond != second && end?.wholeSecond != second
                guard isAlone || last == rate.time else { continue }
                body(SessionPoint(time: rate.time, heartRate: rate.beatsPerMinute))
            }
        }
        for fix in fixes {
            takeRates(before: fix.time)
            var point = SessionPoint(time: fix.time)
            point.place(fix.location)
            if next < rates.count, rates[next].time == fix.time {
                // A rate that came with a position belongs to that position only.
                point.heartRate = rates[next].beatsPerMinute
                next += 1
            } else if let held, fix.time.seconds(since: held.time) <= Self.heldSeconds {
                point.heartRate = held.beatsPerMinute
            }
            body(point)
            last = fix.time
        }
        takeRates(before: nil)
    }

    /// Adds rows of seconds in which steps were detected but nothing was measured.
    private static func filled(_ points: [SessionPoint], _ rows: [SessionPoint]) -> [SessionPoint] {
        let added = added(points.count, { points[$0].time }, rows).map {
            SessionPoint(time: rows[$0].time, heartRate: rows[$0].heartRate)
        }
        // Most sessions have a point for each row, so the points are not copied.
        return added.isEmpty ? points : merged(points, added)
    }

    /// Indexes of rows of seconds that have detected steps but no point.
    private static func added(
        _ count: Int, _ time: (Int) -> Timestamp, _ rows: [SessionPoint]
    ) -> [Int] {
        var added: [Int] = []
        var newest: Timestamp?
        var next = 0
        for (index, row) in rows.enumerated() {
            let before = row.time.advanced(bySeconds: -1)
            while next < count, time(next) <= row.time {
                newest = time(next)
                next += 1
            }
            // Steps that a sensor counted have points of their own.
            guard row.cadence != nil, row.cadenceSource == nil, newest.map({ $0 <= before }) ?? true
            else { continue }
            added.append(index)
            newest = row.time
        }
        return added
    }

    /// Merges by time. At equal times, items of the first list come first.
    private static func merged(
        _ points: [SessionPoint], _ added: [SessionPoint]
    ) -> [SessionPoint] {
        var result: [SessionPoint] = []
        result.reserveCapacity(points.count + added.count)
        var next = 0
        for point in added {
            while next < points.count, points[next].time <= point.time {
                result.append(points[next])
                next += 1
            }
            result.append(point)
        }
        result += points[next...]
        return result
    }
}
