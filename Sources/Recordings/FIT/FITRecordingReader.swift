import SensorModel

/// Reads a ``Recording`` from a FIT activity.
struct FITRecordingReader {
    private var decoder: FITDecoder
    private var builder = RecordingBuilder(format: .fit)
    private var laps: [(lap: RecordedLap, manual: Bool)] = []
    /// Beats that precede their record, in 1/1024 s.
    private var rrIntervals: [UInt16] = []
    private var timerStop: (time: Timestamp, automatic: Bool)?
    private var sport: Int?

    private static let rrIntervalsMax = 30

    private init(_ bytes: [UInt8]) {
        decoder = FITDecoder(bytes)
    }

    static func read(_ bytes: [UInt8]) throws(RecordingError) -> Recording {
        var reader = FITRecordingReader(bytes)
        return try reader.read()
    }

    private mutating func read() throws(RecordingError) -> Recording {
        do throws(RecordingError) {
            while let message = try decoder.next() { take(message) }
        } catch {
            // Data before the damage are valid.
            guard !builder.recording.frames.isEmpty else { throw error }
            builder.recording.notes.append(error.description)
        }
        for (index, lap) in laps.enumerated() {
            builder.recording.laps.append(lap.lap)
            guard lap.manual, index + 1 < laps.count else { continue }
            builder.add(.control(.lap), at: lap.lap.end)
        }
        builder.recording.notes += decoder.problems
        builder.recording.sport = sport.map { FITProfile.sports[$0] ?? "sport \($0)" }
        let onFoot = [nil, 0, 1, 4, 10, 11, 17].contains(sport)
        if !onFoot { builder.recording.totals.steps = nil }
        builder.countBothFeet(onFoot: onFoot)
        return try builder.finish()
    }

    private mutating func take(_ message: FITMessage) {
        switch message.number {
        case FITProfile.record: takeRecord(message)
        case FITProfile.event: takeEvent(message)
        case FITProfile.lap: takeLap(message)
        case FITProfile.session: takeSession(message)
        case FITProfile.sport: sport = message.integer(0) ?? sport
        case FITProfile.hrv: takeBeats(message)
        default: break
        }
    }

    /// - Returns: `nil` for a message without a time, which is counted.
    private mutating func time(of message: FITMessage) -> Timestamp? {
        let seconds =
            message.compressedTime.map { Int($0) } ?? message.integer(FITProfile.timestamp)
        guard let seconds else {
            builder.refuse("no time")
            return nil
        }
        guard let time = FITProfile.time(seconds) else {
            builder.refuse("time before 2000")
            return nil
        }
        return time
    }

    private mutating func takeRecord(_ message: FITMessage) {
        guard let time = time(of: message) else { return }
        builder.follow(time)
        let speed = (message.number(73) ?? message.number(6)).map { $0 / 1000 }
        let altitude = (message.number(78) ?? message.number(2)).map { $0 / 5 - 500 }
        if let latitude = message.number(0), let longitude = message.number(1) {
            builder.addLocation(
                PositionFix(
                    latitude: latitude * FITProfile.degreesPerSemicircle,
                    longitude: longitude * FITProfile.degreesPerSemicircle, altitude: altitude,
                    horizontalAccuracy: own(.horizontalAccuracy, of: message)
                        ?? message.number(31), speed: speed),
                at: time)
        }
        if let rate = own(.heartRate, of: message) ?? message.number(3) {
            builder.addHeartRate(rate, at: time, rrIntervals: rrIntervals)
            rrIntervals = []
        }
        var values = DeviceValues(time: time)
        values.cadence = message.number(4).map { $0 + (message.number(53) ?? 0) / 128 }
        values.distanceMeters = message.number(5).map { $0 / 100 }
        values.speedMetersPerSecond = speed
        values.powerWatts = message.number(7)
        builder.add(values)
    }

    /// A developer field of our own writer, for values that FIT stores too coarsely.
    private func own(_ field: FITOwnField, of message: FITMessage) -> Double? {
        guard
            let described = decoder.developerFields.last(where: {
                $0.name == field.name && $0.number == field.rawValue
            })
        else { return nil }
        return message.number(described.number, developer: described.developer)
    }

    private mutating func takeEvent(_ message: FITMessage) {
        // Event 0 is the timer; types 1, 4, 8, 9 stop it.
        guard message.integer(0) == 0, let type = message.integer(1), let time = time(of: message)
        else { return }
        switch type {
        case 0:
            if let stop = timerStop, time >= stop.time {
                builder.addPause(start: stop.time, end: time, automatic: stop.automatic)
            }
            timerStop = nil
        case 1, 4, 8, 9:
            // A second stop of a stopped timer has no effect.
            guard timerStop == nil else { return }
            timerStop = (time, (message.integer(3) ?? message.integer(2)) == 1)
        default:
            break
        }
    }

    private mutating func takeLap(_ message: FITMessage) {
        guard let end = time(of: message) else { return }
        let timer = message.number(8).map { $0 / 1000 }
        let start = message.integer(2).flatMap { FITProfile.time($0) }
        let lap = RecordedLap(
            start: start ?? end, end: end, timerSeconds: timer,
            distanceMeters: message.number(9).map { $0 / 100 },
            averageHeartRate: message.number(15))
        laps.append((lap, message.integer(24) == 0))
    }

    private mutating func takeSession(_ message: FITMessage) {
        sport = message.integer(5) ?? sport
        var totals = builder.recording.totals
        func sum(_ old: Double?, _ new: Double?) -> Double? {
            new.map { $0 + (old ?? 0) } ?? old
        }
        totals.elapsedSeconds = sum(totals.elapsedSeconds, message.number(7).map { $0 / 1000 })
        totals.timerSeconds = sum(totals.timerSeconds, message.number(8).map { $0 / 1000 })
        totals.distanceMeters = sum(totals.distanceMeters, message.number(9).map { $0 / 100 })
        totals.ascentMeters = sum(totals.ascentMeters, message.number(22))
        totals.averageHeartRate = message.number(16) ?? totals.averageHeartRate
        totals.maxHeartRate = message.number(17) ?? totals.maxHeartRate
        if let strides = message.integer(10) { totals.steps = (totals.steps ?? 0) + 2 * strides }
        builder.recording.totals = totals
    }

    private mutating func takeBeats(_ message: FITMessage) {
        for element in 0..<message.count(0) {
            guard let milliseconds = message.number(0, at: element) else { continue }
            guard rrIntervals.count < Self.rrIntervalsMax else { return }
            rrIntervals.append(UInt16(clamping: Int((milliseconds * 1.024).rounded())))
        }
    }
}
