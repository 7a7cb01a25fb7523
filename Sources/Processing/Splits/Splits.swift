import SensorModel

/// Computes full kilometers and miles, timed at the mark.
///
/// The mark lies between two distances. Its time is interpolated; paused time does not count.
struct Splits: Sendable {
    static let kilometerMeters = 1000.0
    static let mileMeters = 1609.344

    /// The values of the split's other columns at its mark.
    struct Context: Sendable {
        var heartRate: (beats: Double, seconds: Double)
        var altitude: Double?
    }

    struct Mark: Sendable {
        var split: Split
        var time: Timestamp
        /// Speed at the mark, to move it when the path before it grows; `nil` if unknown.
        var metersPerSecond: Double?
    }

    struct Track: Sendable {
        let unit: Split.Unit
        let meters: Double
        var number = 0
        /// Session time at which the split of the oldest kept mark starts.
        var start: Timestamp
        /// The newest marks, which a re-dated pause or a late fix can correct.
        var marks: [Mark] = []
        var heartRate = (beats: 0.0, seconds: 0.0)
        var altitude: Double?

        var newestTime: Timestamp { marks.last?.time ?? start }
    }

    /// Number of marks of each unit that can still be corrected.
    static let marksMax = 8

    var tracks: [Track] = []
    var newest: (meters: Double, time: Timestamp)?

    mutating func start(at time: Timestamp, altitude: Double?) {
        tracks = [
            Track(unit: .kilometer, meters: Self.kilometerMeters, start: time),
            Track(unit: .mile, meters: Self.mileMeters, start: time),
        ]
        for index in tracks.indices { tracks[index].altitude = altitude }
    }

    /// - Parameters:
    ///   - meters: Meters of the session.
    ///   - time: Session time at these meters.
    ///   - isMeasured: Whether a fix measured them; a tick without new meters gives no information.
    ///   - movingTime: The pauses to leave out.
    ///   - context: Current heart rate and altitude.
    /// - Returns: The completed splits, in the order of their marks.
    mutating func update(
        meters: Double, at time: Timestamp, isMeasured: Bool = true, movingTime: MovingTime,
        context: Context
    ) -> [Split] {
        // The splits start with the first position, before its altitude is known.
        for index in tracks.indices where tracks[index].altitude == nil {
            tracks[index].altitude = context.altitude
        }
        let before = newest ?? (meters, time)
        guard meters > before.meters else {
            if isMeasured || newest == nil { newest = (before.meters, time) }
            return []
        }
        newest = (meters, time)
        var completed: [Split] = []
        let passed = time.seconds(since: before.time)
        let speed = passed > 0 ? (meters - before.meters) / passed : nil
        for index in tracks.indices {
            leap(index, to: meters, from: before, seconds: passed)
            while meters >= Double(tracks[index].number + 1) * tracks[index].meters {
                let mark = Double(tracks[index].number + 1) * tracks[index].meters
                let share = (mark - before.meters) / (meters - before.meters)
                let seconds = passed * min(max(share, 0), 1)
                let markTime = before.time.advanced(bySeconds: seconds)
                completed.append(
                    complete(index, at: markTime, speed: speed, movingTime, context))
            }
        }
        return completed
    }

    /// Skips marks of a leap: only the newest ``Split/atOnceMax`` are completed.
    private mutating func leap(
        _ index: Int, to meters: Double, from before: (meters: Double, time: Timestamp),
        seconds: Double
    ) {
        let passed = Int(min(meters / tracks[index].meters, 1e9))
        let first = passed - Split.atOnceMax
        guard first > tracks[index].number else { return }
        let share =
            (Double(first) * tracks[index].meters - before.meters) / (meters - before.meters)
        tracks[index].number = first
        tracks[index].marks = []
        tracks[index].start = before.time.advanced(bySeconds: seconds * min(max(share, 0), 1))
    }

    private mutating func complete(
        _ index: Int, at markTime: Timestamp, speed: Double?, _ movingTime: MovingTime,
        _ context: Context
    ) -> Split {
        var track = tracks[index]
        track.number += 1
        let beats = context.heartRate.beats - track.heartRate.beats
        let beatSeconds = context.heartRate.seconds - track.heartRate.seconds
        var climb: Double?
        if let now = context.altitude, let then = track.altitude { climb = now - then }
        let split = Split(
            unit: track.unit, number: track.number,
            seconds: Self.moving(from: track.newestTime, to: markTime, movingTime),
            averageHeartRate: beatSeconds > 0 ? beats / beatSeconds : nil, elevationMeters: climb)
        if track.marks.count == Self.marksMax { track.start = track.marks.removeFirst().time }
        track.marks.append(Mark(split: split, time: markTime, metersPerSecond: speed))
        track.heartRate = context.heartRate
        track.altitude = context.altitude ?? track.altitude
        tracks[index] = track
        return split
    }

    static func moving(
        from start: Timestamp, to end: Timestamp, _ movingTime: MovingTime
    ) -> Double {
        let paused = movingTime.pausedSeconds(until: end) - movingTime.pausedSeconds(until: start)
        return end.seconds(since: start) - paused
    }
}
