import SensorModel

/// Reads a ``Recording`` from a FIT activity.
struct FITRecordingReader {
    private var decoder: FITDecoder
    private var builder = RecordingBuilder(format: .fit)
    private var laps: [(lap: RecordedLap, manual: Bool)] = []
    /// Beats that precede their record, in 1/1024 s, with their messages.
    private var rrIntervals: [UInt16] = []
    private var beats: [FITMessage] = []
    private var timerStop: (time: Timestamp, automatic: Bool)?
    private var sport: Int?
    private var remainders = FITRemainders()
    private var sensors = FITSensors()

    /// A watch's record has two values or more; messages without any must not take minutes.
    private var messagesMax: Int { builder.itemsMax > .max / 4 ? .max : 4 * builder.itemsMax }

    /// Maximum number of beats in a heart rate's frame.
    private static let rrIntervalsMax = 255

    private init(_ bytes: [UInt8]) {
        decoder = FITDecoder(bytes)
    }

    static func read(_ bytes: [UInt8], _ itemsMax: Int) throws(RecordingError) -> Recording {
        var reader = FITRecordingReader(bytes)
        reader.builder.itemsMax = itemsMax
        return try reader.read()
    }

    private mutating func read() throws(RecordingError) -> Recording {
        do throws(RecordingError) {
            var messages = 0
            while !builder.isFull, messages < messagesMax, let message = try decoder.next() {
                take(message)
                messages += 1
                builder.others = laps.count + remainders.frameCount
            }
            guard messages < messagesMax else { throw .tooMuch(.fit, itemsMax: builder.itemsMax) }
        } catch {
            // Data before the damage are valid.
            if case .tooMuch = error { throw error }
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
        builder.set(source: sensors.creator)
        let onFoot = [nil, 0, 1, 4, 10, 11, 17].contains(sport)
        if !onFoot { builder.recording.totals.steps = nil }
        builder.convertCadence(onFoot: onFoot)
        keepBeats()
        var recording = try builder.finish()
        recording.frames = remainders.merged(into: recording.frames)
        recording.dropped = remainders.dropped
        return recording
    }

    private mutating func take(_ message: FITMessage) {
        switch message.number {
        case FITProfile.record: takeRecord(message)
        case FITProfile.event: takeEvent(message)
        case FITProfile.hrv: takeBeats(message)
        case FITProfile.fileID:
            sensors.takeFileID(message)
            FITRemainder(message).count(in: &builder.recording.replaced)
        case FITProfile.developerDataID, FITProfile.fieldDescription:
            if !sensors.takeOwn(message) {
                remainders.add(head: FITRemainder(message))
            }
        default:
            switch message.number {
            case FITProfile.lap: takeLap(message)
            case FITProfile.session: takeSession(message)
            case FITProfile.sport: sport = message.integer(0) ?? sport
            default: break
            }
            keep(message)
        }
    }

    /// Keeps a message other than a record, so that an export returns it.
    private mutating func keep(_ message: FITMessage) {
        FITProfile.countReplaced(in: message, &builder.recording.replaced)
        let seconds =
            message.compressedTime.map { Int($0) } ?? message.integer(FITProfile.timestamp)
        let isOfRun =
            FITProfile.summaries.contains(message.number)
            || message.number == FITProfile.event
        guard isOfRun || seconds != nil else {
            return remainders.add(head: FITRemainder(message))
        }
        // A setting or device has the time of its last change, so it keeps its place in the file.
        let time = isOfRun ? seconds.flatMap { FITProfile.time($0) } : nil
        remainders.add(FITRemainder(message), at: time)
    }

    /// - Returns: The time; `nil` for a message without a valid one, which is counted.
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
        var used: Set<UInt8> = []
        takeFix(message, at: time, &used)
        if let rate = sensors.own(.heartRate, of: message) ?? message.number(3) {
            builder.addHeartRate(rate, at: time, rrIntervals: rrIntervals)
            used.insert(3)
            if HeartRateSample.validBeatsPerMinute.contains(rate) {
                (rrIntervals, beats) = ([], [])
            }
        }
        let computed = sensors.values(of: message, decoder, used: &used)
        builder.add(computed.values, cadence: computed.cadence, at: time)
        for values in computed.others { builder.add(values, cadence: nil, at: time) }
        remainders.add(
            FITRemainder(message, without: used, ownDeveloper: sensors.ownDeveloper), at: time)
    }

    private mutating func takeFix(
        _ message: FITMessage, at time: Timestamp, _ used: inout Set<UInt8>
    ) {
        guard let latitude = message.number(0), let longitude = message.number(1) else { return }
        used.formUnion([0, 1])
        let before = builder.recording.frames.count
        let speed = (message.number(73) ?? message.number(6)).map { $0 / 1000 }
        let altitude = (message.number(78) ?? message.number(2)).map { $0 / 5 - 500 }
        builder.addLocation(
            PositionFix(
                latitude: latitude * FITProfile.degreesPerSemicircle,
                longitude: longitude * FITProfile.degreesPerSemicircle, altitude: altitude,
                horizontalAccuracy: sensors.own(.horizontalAccuracy, of: message)
                    ?? message.number(31), speed: speed),
            at: time)
        // If no frame can hold the position, its other fields stay unused.
        if builder.recording.frames.count > before { used.formUnion([2, 78, 31]) }
    }

    private mutating func takeEvent(_ message: FITMessage) {
        // Event 0 is the timer; types 1, 4, 8, 9 stop it.
        guard message.integer(0) == 0 else { return keep(message) }
        builder.recording.replaced.add("event.timer")
        guard let type = message.integer(1), let time = time(of: message) else { return }
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
        guard message.count(0) > 0 else {
            return remainders.add(FITRemainder(message), at: nil)
        }
        if rrIntervals.count + message.count(0) > Self.rrIntervalsMax { keepBeats() }
        beats.append(message)
        for element in 0..<message.count(0) {
            guard let milliseconds = message.number(0, at: element) else { continue }
            let interval = min(max((milliseconds * 1.024).rounded(), 0), Double(UInt16.max))
            rrIntervals.append(UInt16(interval))
        }
    }

    /// Keeps beats that no heart rate follows.
    private mutating func keepBeats() {
        for message in beats { remainders.add(FITRemainder(message), at: nil) }
        (rrIntervals, beats) = ([], [])
    }
}
