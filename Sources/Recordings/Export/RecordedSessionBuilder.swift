public import SensorModel

/// Collects a session's frames and events into the input of exporters.
///
///     var builder = RecordedSessionBuilder(id: id, device: "wrist")
///     for each record of the log { builder.take(…) }
///     let session = builder.finish()
public struct RecordedSessionBuilder: Sendable {
    private var session: RecordedSession
    private var measured = MeasuredPoints()
    /// The sensor behind the heart rate of each row.
    private var shownSources: [String?] = []
    private var openPause: (start: Timestamp, automatic: Bool)?
    private var start: Timestamp?
    private var lastFrame: Timestamp?
    private var lapStart: Timestamp?
    private var foreignBytes = 0
    /// Memory in bytes of beats and other programs' messages, which a FIT file decodes again.
    private var listBytes = 0

    /// Approximate memory of a decoded message or field, and of an array's header.
    private static let foreignItemBytes = 64
    private static let arrayHeadBytes = 32

    /// - Parameters:
    ///   - id: ID of the session.
    ///   - device: Name of the device, as given by the runner.
    public init(id: SessionID, device: String) {
        let zero = Timestamp(microseconds: 0)
        session = RecordedSession(id: id, device: device, start: zero, end: zero)
    }

    /// Memory in bytes of the parts that grow with the session.
    public var bytes: Int { session.bytes + measured.bytes + listBytes }

    /// Adds a frame, in the order of the log.
    public mutating func take(_ frame: Frame) {
        switch frame.payload {
        case .foreign(let messages): return take(messages, at: frame.deviceTime)
        case .measured(let values):
            session.measured.append(
                RecordedSession.MeasuredMoment(time: frame.deviceTime, values: values))
        case .heartRate(let sample) where !sample.rrIntervals.isEmpty:
            session.beats.append(
                RecordedSession.Beats(time: frame.deviceTime, intervals: sample.rrIntervals))
            listBytes +=
                MemoryLayout<RecordedSession.Beats>.stride + Self.arrayHeadBytes
                + 2 * sample.rrIntervals.count
        default: break
        }
        reach(frame.deviceTime)
        lastFrame = max(lastFrame ?? frame.deviceTime, frame.deviceTime)
        measured.take(frame)
    }

    /// Adds a motion frame. Only its time and heart rate are used, so its samples need not be
    /// decoded.
    ///
    /// - Parameters:
    ///   - time: Device time of its first sample.
    ///   - heartRate: Heart rate in the frame, beats/min.
    public mutating func takeMotion(at time: Timestamp, heartRate: Double?) {
        reach(time)
        lastFrame = max(lastFrame ?? time, time)
        if let heartRate { measured.takeMotion(heartRate, at: time) }
    }

    /// Adds other programs' messages, which belong to no moment and do not lengthen the session.
    private mutating func take(_ messages: ForeignMessages, at time: Timestamp) {
        foreignBytes += messages.bytes.count
        guard foreignBytes <= RecordedSession.foreignBytesMax else { return }
        session.foreign.append(RecordedSession.ForeignMoment(time: time, messages: messages))
        listBytes += messages.bytes.count
        guard messages.format == .fit else { return }
        for message in FITRemainders.messages(in: messages) {
            listBytes += Self.foreignItemBytes * (1 + message.layout.count)
        }
    }

    /// - Parameters:
    ///   - event: Event, in the order of the log.
    ///   - arrivalTime: Arrival time of the data from which it was computed.
    public mutating func take(_ event: StreamEvent, arrivalTime: Timestamp) {
        reach(event.deviceTime)
        switch event.kind {
        case .metrics(let metrics): add(metrics, at: event.deviceTime, arrivalTime)
        case .split(let split):
            session.splits.append(SessionSplit(time: event.deviceTime, split: split))
        case .correction(.split(let split)):
            guard
                let index = session.splits.lastIndex(where: {
                    $0.split.unit == split.unit && $0.split.number == split.number
                })
            else { return }
            session.splits[index].split = split
        case .lap(let lap): add(lap, at: event.deviceTime)
        case .paused(let since, let automatic):
            closePause(at: since)
            openPause = (since, automatic)
        case .resumed(let since, _): closePause(at: since)
        case .ended: closePause(at: event.deviceTime)
        case .correction(.pauseBegan(_, let since)):
            if openPause != nil { openPause?.start = since }
        case .correction(.pauseEnded(_, let since)):
            if !session.pauses.isEmpty { session.pauses[session.pauses.count - 1].end = since }
        case .marker, .zoneChanged, .alert, .gap, .sourceChanged: break
        case .intervalStarted, .intervalEnding, .intervalEnded, .checkpointReached: break
        }
    }

    /// The parts of a session that a file needs.
    public enum Content: Sendable {
        /// ``RecordedSession/seconds``
        case rows
        /// ``RecordedSession/points``
        case points
        case all
    }

    /// Returns the whole session, after the last record.
    public mutating func finish() -> RecordedSession {
        guard let session = finish(.all, hasRoom: { _ in true }) else {
            preconditionFailure("there is always room")
        }
        return session
    }

    /// Returns the session, after the last record. It has no rows if `content` is `points`.
    ///
    /// - Parameters:
    ///   - content: The parts that are needed.
    ///   - hasRoom: Called with the needed bytes of memory, before they are used.
    /// - Returns: The session; `nil` if there is no room.
    public mutating func finish(
        _ content: Content, hasRoom: (Int) -> Bool
    ) -> RecordedSession? {
        session.start = start ?? session.start
        session.sport = FITForeignMessages.sport(in: session.foreign) ?? session.sport
        cutSilence()
        guard hasRoom(bytes + measured.sortingBytes) else { return nil }
        sortMeasured()
        measured.sortAndFilter(rows: session.seconds, shownSources: shownSources)
        if content != .rows {
            let points = measured.pointsMax(rows: session.seconds, sensors: session.measured)
            guard hasRoom(bytes + points * MemoryLayout<SessionPoint>.stride) else { return nil }
            session.points = measured.points(rows: session.seconds, sensors: session.measured)
            markPauses()
        }
        if content == .points {
            session.seconds = []
        } else {
            let sensors = session.measured
            measured.complete(&session.seconds, sensors: sensors)
        }
        measured = MeasuredPoints()
        session.listBytes = listBytes
        return session
    }

    /// Sorts by time, because late frames come after later ones. Equal times keep their order.
    private mutating func sortMeasured() {
        let moments = session.measured
        session.measured = moments.indices
            .sorted { (moments[$0].time, $0) < (moments[$1].time, $1) }.map { moments[$0] }
        session.beats.sort { $0.time < $1.time }
    }

    /// Removes the seconds after the last frame, in which nothing was measured.
    private mutating func cutSilence() {
        if let lastFrame { session.end = lastFrame }
        closePause(at: session.end)
        while let last = session.pauses.last, last.end > session.end {
            session.pauses.removeLast()
            guard last.start < session.end else { continue }
            session.pauses.append(
                RecordedPause(start: last.start, end: session.end, automatic: last.automatic))
        }
        let silence = session.seconds.reversed().prefix { $0.time.seconds(since: session.end) >= 1 }
        session.seconds.removeLast(silence.count)
        shownSources.removeLast(silence.count)
    }

    private mutating func reach(_ time: Timestamp) {
        start = min(start ?? time, time)
        session.end = max(session.end, time)
    }

    /// Marks the points within pauses. The first and last moments of a pause do not belong to it.
    private mutating func markPauses() {
        var next = 0
        for index in session.points.indices {
            let time = session.points[index].time
            while next < session.pauses.count, session.pauses[next].end <= time { next += 1 }
            session.points[index].paused =
                next < session.pauses.count && session.pauses[next].start < time
        }
    }

    private mutating func add(_ metrics: Metrics, at time: Timestamp, _ arrivalTime: Timestamp) {
        let isLive = metrics.heartRate?.state == .live
        let position = metrics.position.flatMap { $0.state == .live ? $0 : nil }
        var point = SessionPoint(
            time: time, latitude: position?.latitude, longitude: position?.longitude,
            altitudeMeters: position?.altitudeMeters,
            horizontalAccuracyMeters: position?.horizontalAccuracyMeters,
            heartRate: isLive ? metrics.heartRate?.beatsPerMinute : nil,
            cadence: metrics.cadence?.stepsPerMinute, distanceMeters: metrics.distanceMeters,
            speedMetersPerSecond: metrics.speedMetersPerSecond,
            paused: metrics.autoPaused || metrics.manuallyPaused, steps: metrics.steps,
            arrivalTime: arrivalTime)
        point.cadenceSource = metrics.cadence?.source
        // A change of state within a second has its own metrics; the newest of the second are used.
        if let last = session.seconds.last?.time, last <= time, last.wholeSecond == time.wholeSecond
        {
            session.seconds[session.seconds.count - 1] = point
            shownSources[shownSources.count - 1] = metrics.heartRate?.source
        } else if session.seconds.last.map({ $0.time < time }) ?? true {
            session.seconds.append(point)
            shownSources.append(metrics.heartRate?.source)
        }
        session.totals.distanceMeters = metrics.distanceMeters
        session.totals.timerSeconds = metrics.movingSeconds
        session.totals.elapsedSeconds = metrics.elapsedSeconds
        session.totals.ascentMeters = metrics.elevationGainMeters
        session.totals.averageHeartRate = metrics.averageHeartRate
        session.totals.maxHeartRate = metrics.maxHeartRate
        session.totals.steps = metrics.steps
    }

    private mutating func add(_ lap: Lap, at time: Timestamp) {
        session.laps.append(
            RecordedLap(
                start: lapStart ?? start ?? time, end: time, timerSeconds: lap.seconds,
                distanceMeters: lap.distanceMeters, averageHeartRate: lap.averageHeartRate))
        lapStart = time
    }

    private mutating func closePause(at time: Timestamp) {
        guard let pause = openPause else { return }
        openPause = nil
        session.pauses.append(
            RecordedPause(
                start: pause.start, end: max(pause.start, time), automatic: pause.automatic))
    }
}
