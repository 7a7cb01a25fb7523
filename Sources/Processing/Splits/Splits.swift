import SensorModel

/// Full kilometers and miles, timed at the mark.
///
/// The mark lies between two distances; its moment is interpolated, and paused time is not counted.
struct Splits: Sendable {
    static let kilometerMeters = 1000.0
    static let mileMeters = 1609.344

    /// What the split's other columns are read from, as of its mark.
    struct Context: Sendable {
        var heartRate: (beats: Double, seconds: Double)
        var altitude: Double?
    }

    private struct Track: Sendable {
        let unit: Split.Unit
        let meters: Double
        var number = 0
        /// Session time of the last mark.
        var markTime: Timestamp
        var heartRate = (beats: 0.0, seconds: 0.0)
        var altitude: Double?
        /// Start of the newest split sent, so that a re-dated pause can correct it.
        var newest: (split: Split, start: Timestamp)?
    }

    private var tracks: [Track] = []
    private var newest: (meters: Double, time: Timestamp)?

    mutating func start(at time: Timestamp, altitude: Double?) {
        tracks = [
            Track(unit: .kilometer, meters: Self.kilometerMeters, markTime: time),
            Track(unit: .mile, meters: Self.mileMeters, markTime: time),
        ]
        for index in tracks.indices { tracks[index].altitude = altitude }
    }

    /// - Parameters:
    ///   - meters: Of the session.
    ///   - time: At which it was reached.
    ///   - movingTime: To leave out what was paused.
    ///   - context: Heart rate and altitude now.
    /// - Returns: Splits completed, in the order of their marks.
    mutating func update(
        meters: Double, at time: Timestamp, movingTime: MovingTime, context: Context
    ) -> [Split] {
        let before = newest ?? (meters, time)
        newest = (meters, time)
        guard meters > before.meters else { return [] }
        var completed: [Split] = []
        for index in tracks.indices {
            while meters >= Double(tracks[index].number + 1) * tracks[index].meters {
                let mark = Double(tracks[index].number + 1) * tracks[index].meters
                let share = (mark - before.meters) / (meters - before.meters)
                let seconds = time.seconds(since: before.time) * min(max(share, 0), 1)
                let markTime = before.time.advanced(bySeconds: seconds)
                completed.append(complete(index, at: markTime, movingTime, context))
            }
        }
        return completed
    }

    /// Splits already sent that a re-dated pause has changed.
    mutating func corrected(by movingTime: MovingTime) -> [Split] {
        var changed: [Split] = []
        for index in tracks.indices {
            guard var newest = tracks[index].newest else { continue }
            let seconds = Self.moving(
                from: newest.start, to: tracks[index].markTime, movingTime)
            guard abs(seconds - newest.split.seconds) > 0.05 else { continue }
            newest.split.seconds = seconds
            tracks[index].newest = newest
            changed.append(newest.split)
        }
        return changed
    }

    private mutating func complete(
        _ index: Int, at markTime: Timestamp, _ movingTime: MovingTime, _ context: Context
    ) -> Split {
        var track = tracks[index]
        track.number += 1
        let beats = context.heartRate.beats - track.heartRate.beats
        let beatSeconds = context.heartRate.seconds - track.heartRate.seconds
        var climb: Double?
        if let now = context.altitude, let then = track.altitude { climb = now - then }
        let split = Split(
            unit: track.unit, number: track.number,
            seconds: Self.moving(from: track.markTime, to: markTime, movingTime),
            averageHeartRate: beatSeconds > 0 ? beats / beatSeconds : nil, elevationMeters: climb)
        track.newest = (split, track.markTime)
        track.markTime = markTime
        track.heartRate = context.heartRate
        track.altitude = context.altitude ?? track.altitude
        tracks[index] = track
        return split
    }

    private static func moving(
        from start: Timestamp, to end: Timestamp, _ movingTime: MovingTime
    ) -> Double {
        let paused = movingTime.pausedSeconds(until: end) - movingTime.pausedSeconds(until: start)
        return end.seconds(since: start) - paused
    }
}
