/// The place where a shown track begins or ends at a hidden part, with published values of it.
struct Cut: Sendable {
    enum Side: Sendable {
        case start, finish
        /// At a hidden stretch in the middle of a run.
        case middle
    }

    var side: Side
    var spot: Spot
    /// Direction away from the hidden part, of length 1.
    var outward: Spot
    /// A shown place about 500 m along the track, and its distance along the track.
    var beyond: Spot
    var beyondMeters: Double
    /// Mean speed of the run's shown part, meters per moving second.
    var speed: Double
    /// Length of the hidden part between door and cut, as published by the share with positions.
    var hiddenMeters: Double?
    var hiddenSeconds: Double?
    /// Whether those seconds exclude standing.
    var secondsAreMoving = false
    var hiddenClimb: Double?
    /// The same values as published by a second share.
    var besideMeters: Double?
    var besideSeconds: Double?
    /// Seconds from the runner's passage of the cut until a live viewer saw nothing more.
    var stopSeconds: Double?
    /// Number of the cut's record in the log; the next property has the run's records a second.
    var record: Int?
    var recordsPerSecond = 0.0
}

extension Cut {
    /// The cuts of one run.
    ///
    /// - Parameter run: The run as shown.
    /// - Returns: The start first, the finish last; empty if hardly anything was shown.
    static func all(of run: ShownRun) -> [Cut] {
        guard let first = run.points.first, let last = run.points.last, run.points.count > 30
        else { return [] }
        let spots = run.points.map(\.spot)
        let pace = Pace(run)
        var start = cut(.start, at: 0, step: 1, spots, pace)
        tellStart(&start, run, first)
        start.record = first.record
        var finish = cut(.finish, at: spots.count - 1, step: -1, spots, pace)
        finish.record = last.record
        finish.stopSeconds = told(last.shownAt, since: last.time + run.lateSeconds)
        tellFinish(&finish, run, last)
        tellBeside(&start, &finish, run, first, last)
        var cuts = [start]
        for index in run.points.indices.dropFirst() where run.points[index].followsHidden {
            cuts.append(cut(.middle, at: index - 1, step: -1, spots, pace))
            cuts.append(cut(.middle, at: index, step: 1, spots, pace))
        }
        cuts.append(finish)
        return cuts
    }

    private static func tellStart(_ start: inout Cut, _ run: ShownRun, _ first: ShownPoint) {
        start.hiddenMeters = told(first.distanceMeters, since: 0)
        start.hiddenClimb = told(first.elevationGainMeters, since: 0)
        start.hiddenSeconds = told(first.movingSeconds, since: 0)
        start.secondsAreMoving = start.hiddenSeconds != nil
        if start.hiddenSeconds == nil { start.hiddenSeconds = told(first.time, since: run.beganAt) }
    }

    private static func tellFinish(_ finish: inout Cut, _ run: ShownRun, _ last: ShownPoint) {
        finish.hiddenMeters = told(run.finalDistanceMeters, since: last.distanceMeters)
        finish.hiddenClimb = told(run.finalElevationGainMeters, since: last.elevationGainMeters)
        finish.hiddenSeconds = told(run.finalMovingSeconds, since: last.movingSeconds)
        finish.secondsAreMoving = finish.hiddenSeconds != nil
        if finish.hiddenSeconds == nil {
            finish.hiddenSeconds = told(run.endedAt, since: last.time)
        }
    }

    /// Growth of a value where positions are hidden; `nil` if it does not grow there.
    private static func told(_ value: Double?, since before: Double?) -> Double? {
        guard let value, let before, value - before > restMax else { return nil }
        return value - before
    }

    /// Growth that does not count: the edge of a hidden part may add a second's worth.
    private static let restMax = 6.0

    private static func tellBeside(
        _ start: inout Cut, _ finish: inout Cut, _ run: ShownRun, _ first: ShownPoint,
        _ last: ShownPoint
    ) {
        guard let end = run.beside.last else { return }
        func value(at time: Double) -> ShownValue? {
            var low = 0
            var high = run.beside.count
            while low < high {
                let middle = (low + high) / 2
                if run.beside[middle].time < time { low = middle + 1 } else { high = middle }
            }
            return low < run.beside.count ? run.beside[low] : nil
        }
        if let there = value(at: first.time) {
            start.besideMeters = there.distanceMeters
            start.besideSeconds = there.movingSeconds
        }
        guard let there = value(at: last.time) else { return }
        if let total = end.distanceMeters, let shown = there.distanceMeters {
            finish.besideMeters = total - shown
        }
        if let total = end.movingSeconds, let shown = there.movingSeconds {
            finish.besideSeconds = total - shown
        }
    }

    private static func cut(
        _ side: Side, at index: Int, step: Int, _ spots: [Spot], _ pace: Pace
    ) -> Cut {
        // Every fifth point: GPS noise adds hardly any length to steps of 15 m.
        var beyond = spots[index]
        var meters = 0.0
        var ahead: Spot?
        var at = index + 5 * step
        while spots.indices.contains(at), meters < 500 {
            let leg = spots[at].meters(to: beyond)
            if leg > 250 { break }  // another hidden part
            meters += leg
            beyond = spots[at]
            if ahead == nil, meters > 30 { ahead = beyond }
            at += 5 * step
        }
        let way = (ahead ?? beyond) - spots[index]
        return Cut(
            side: side, spot: spots[index], outward: way * (1 / max(way.length, 1e-9)),
            beyond: beyond, beyondMeters: meters, speed: pace.metersPerSecond,
            recordsPerSecond: pace.recordsPerSecond)
    }
}

/// The speed evidence from the shown part of a run.
struct Pace: Sendable {
    let metersPerSecond: Double
    let recordsPerSecond: Double

    init(_ run: ShownRun) {
        var speeds = 0.0
        var moving = 0.0
        for speed in run.points.compactMap(\.speed) where speed > 0.5 {
            speeds += speed
            moving += 1
        }
        metersPerSecond = moving > 0 ? speeds / moving : 3.1
        if let first = run.points.first, let last = run.points.last, let from = first.record,
            let to = last.record, last.time > first.time
        {
            recordsPerSecond = Double(to - from) / (last.time - first.time)
        } else {
            recordsPerSecond = 0
        }
    }
}
