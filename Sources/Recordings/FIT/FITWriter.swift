import SensorModel

/// Writes a session as a FIT activity: records, timer events, laps, a session and an activity.
///
/// A pause is a stop and a start of the timer, with its cause. Values measured within a pause are
/// kept, because FIT can distinguish them. FIT counts whole seconds.
///
/// Foreign messages of an imported file are written back: unused fields of records, events,
/// devices, developer fields. The file's laps replace ours, and its session has our totals.
struct FITWriter {
    let session: RecordedSession
    var encoder = FITEncoder()
    var foreign: FITForeignMessages
    var sensors: SensorColumns
    /// Number of our developer.
    let developer: UInt8
    private var beats: ArraySlice<RecordedSession.Beats>

    /// Local message numbers: one for each of our kinds of message, and one for all other writers.
    enum Local {
        static let fileID = 0
        static let developer = 1
        static let field = 2
        static let event = 3
        static let record = 4
        static let lap = 5
        static let session = 6
        static let activity = 7
        static let beats = 8
        static let foreign = 9
    }

    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var writer = FITWriter(session: session)
        writer.write()
        return writer.encoder.file()
    }

    private init(session: RecordedSession) {
        self.session = session
        foreign = FITForeignMessages(session.foreign)
        sensors = SensorColumns(session.measured)
        developer = foreign.freeDeveloper
        beats = session.beats[...]
    }

    private mutating func write() {
        addHead()
        for message in foreign.head { add(message) }
        addEvent(at: session.start, type: 0, automatic: false)
        addRecords()
        // Type 4 stops all timers.
        addEvent(at: session.end, type: 4, automatic: false)
        addLaps()
        addSessions()
    }

    /// Adds records and timer events in order of time.
    private mutating func addRecords() {
        var pauses = session.pauses[...]
        var waiting: SessionPoint?
        for point in session.points {
            if let earlier = waiting, let both = earlier.completed(by: point) {
                waiting = both
                continue
            }
            if let earlier = waiting { add(earlier) }
            waiting = point
            while let pause = pauses.first, pause.start < point.time {
                addPause(pause)
                pauses.removeFirst()
            }
        }
        if let last = waiting { add(last) }
        addForeign(before: nil)
        addBeats(before: nil)
        for pause in pauses where pause.start < session.end { addPause(pause) }
    }

    private mutating func addPause(_ pause: RecordedPause) {
        addEvent(at: pause.start, type: 4, automatic: pause.automatic)
        addEvent(at: min(pause.end, session.end), type: 0, automatic: pause.automatic)
    }

    private mutating func addEvent(at time: Timestamp, type: Double, automatic: Bool) {
        encoder.add(
            FITProfile.event, local: Local.event,
            [
                timestamp(time), FITField(0, .enum, 0), FITField(1, .enum, type),
                FITField(3, .uint32, automatic ? 1 : 0),
            ])
    }

    private mutating func add(_ point: SessionPoint) {
        let second = FITProfile.seconds(point.time)
        addForeign(before: second)
        addBeats(before: point.time)
        let computed = sensors.values(inSecondOf: point.time)
        var point = point
        point.distanceMeters = point.distanceMeters ?? best(.distance, of: computed)
        point.speedMetersPerSecond = point.speedMetersPerSecond ?? best(.speed, of: computed)
        let own = ownFields(of: point) + measuredFields(computed)
        let (fields, theirs) = foreign.joined(
            own, foreign.record(at: second, beside: own))
        let ours = FITOwnField.allCases.map { self.own($0, of: point) } + sensorFields(computed)
        encoder.add(
            FITProfile.record, local: Local.record, fields,
            developerFields: ours.map { $0.developed(by: developer) } + theirs)
    }

    /// Adds the beats that precede a heart rate; all of them if `time` is `nil`.
    private mutating func addBeats(before time: Timestamp?) {
        while let next = beats.first, time.map({ next.time <= $0 }) ?? true {
            beats.removeFirst()
            for start in stride(from: 0, to: next.intervals.count, by: 5) {
                let part = next.intervals[start..<min(start + 5, next.intervals.count)]
                let milliseconds = part.map {
                    UInt16(clamping: Int((Double($0) / 1.024).rounded()))
                }
                encoder.add(
                    FITProfile.hrv, local: Local.beats,
                    [FITField(0, uint16s: milliseconds, count: 5)])
            }
        }
    }

    /// Adds the messages of other writers that precede a record.
    private mutating func addForeign(before time: UInt32?) {
        while let earlier = foreign.next(before: time) {
            switch earlier {
            case .message(let message): add(message)
            case .record(let time, let fields):
                let own = [FITField(FITProfile.timestamp, .uint32, Double(time))]
                let (joined, theirs) = foreign.joined(own, fields)
                encoder.add(
                    FITProfile.record, local: Local.foreign, joined, developerFields: theirs)
            }
        }
    }

    /// Adds a message of another writer unchanged.
    mutating func add(_ message: FITRemainder) {
        let (fields, theirs) = foreign.joined([], message)
        guard !fields.isEmpty || !theirs.isEmpty else { return }
        encoder.add(message.number, local: Local.foreign, fields, developerFields: theirs)
    }

    func timestamp(_ time: Timestamp) -> FITField {
        FITField(FITProfile.timestamp, .uint32, Double(FITProfile.seconds(time)))
    }
}
