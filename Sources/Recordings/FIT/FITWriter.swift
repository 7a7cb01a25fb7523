import SensorModel

/// Writes a session as a FIT activity: records, timer events, laps, a session and an activity.
///
/// A pause is a stop and a start of the timer, with its cause. Values measured within a pause are
/// kept, because FIT can tell them apart. FIT counts whole seconds.
struct FITWriter {
    private let session: RecordedSession
    private var encoder = FITEncoder()

    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var writer = FITWriter(session: session)
        writer.write()
        return writer.encoder.file()
    }

    private init(session: RecordedSession) {
        self.session = session
    }

    private mutating func write() {
        addHead()
        addEvent(at: session.start, type: 0, automatic: false)
        addRecords()
        // Type 4 stops all timers.
        addEvent(at: session.end, type: 4, automatic: false)
        let ranges = session.lapRanges
        for (index, lap) in session.lapsToEnd.enumerated() {
            add(lap, index: index, session.summary(of: lap, points: ranges[index]))
        }
        addSummary()
    }

    private mutating func addHead() {
        let start = FITField(4, .uint32, Double(FITProfile.seconds(session.start)))
        // Type 4: activity; manufacturer 255: development, for makers without a number.
        encoder.add(
            FITProfile.fileID, local: 0,
            [
                FITField(0, .enum, 4), FITField(1, .uint16, 255), FITField(2, .uint16, 0),
                FITField(3, .uint32z, Double(UInt32(truncatingIfNeeded: session.id.low) | 1)),
                start,
            ])
        // The developer ID: 16 bytes of our choice.
        encoder.add(
            FITProfile.developerDataID, local: 1,
            [
                FITField(1, byteArray: Array("pulsecast-fields".utf8)),
                FITField(3, .uint8, 0),
            ])
        for field in FITOwnField.allCases {
            encoder.add(
                FITProfile.fieldDescription, local: 2,
                [
                    FITField(0, .uint8, 0), FITField(1, .uint8, Double(field.rawValue)),
                    FITField(2, .uint8, Double(field.type.rawValue)),
                    FITField(3, text: field.name, bytes: 24),
                    FITField(8, text: field.units, bytes: 8),
                ])
        }
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
        for pause in pauses where pause.start < session.end { addPause(pause) }
    }

    private mutating func addPause(_ pause: RecordedPause) {
        addEvent(at: pause.start, type: 4, automatic: pause.automatic)
        addEvent(at: min(pause.end, session.end), type: 0, automatic: pause.automatic)
    }

    private mutating func addEvent(at time: Timestamp, type: Double, automatic: Bool) {
        encoder.add(
            FITProfile.event, local: 3,
            [
                timestamp(time), FITField(0, .enum, 0), FITField(1, .enum, type),
                FITField(3, .uint32, automatic ? 1 : 0),
            ])
    }

    private mutating func add(_ point: SessionPoint) {
        let strides = point.cadence.map { $0 / 2 }
        let whole = strides.map { $0.rounded(.down) }
        let altitude = point.altitudeMeters.map { ($0 + 500) * 5 }
        let speed = point.speedMetersPerSecond.map { $0 * 1000 }
        encoder.add(
            FITProfile.record, local: 4,
            [
                timestamp(point.time),
                FITField(0, .sint32, point.latitude.map { $0 / FITProfile.degreesPerSemicircle }),
                FITField(
                    1, .sint32, point.longitude.map { $0 / FITProfile.degreesPerSemicircle }),
                FITField(2, .uint16, altitude), FITField(78, .uint32, altitude),
                FITField(3, .uint8, point.heartRate), FITField(4, .uint8, whole),
                FITField(53, .uint8, strides.map { ($0 - $0.rounded(.down)) * 128 }),
                FITField(5, .uint32, point.distanceMeters.map { $0 * 100 }),
                FITField(6, .uint16, speed), FITField(73, .uint32, speed),
                FITField(31, .uint8, point.horizontalAccuracyMeters),
            ],
            developerFields: FITOwnField.allCases.map { own($0, of: point) })
    }

    private func own(_ field: FITOwnField, of point: SessionPoint) -> FITField {
        let value: Double? =
            switch field {
            case .heartRate: point.heartRate
            case .horizontalAccuracy: point.horizontalAccuracyMeters
            case .steps: point.steps.map { Double($0) }
            case .paused: point.paused ? 1 : 0
            }
        return FITField(field.rawValue, field.type, value)
    }

    private mutating func add(_ lap: RecordedLap, index: Int, _ summary: StretchSummary) {
        encoder.add(
            FITProfile.lap, local: 5,
            [
                timestamp(lap.end), FITField(254, .uint16, Double(index)),
                // Event 9: lap; type 1: stop; trigger 0: manual.
                FITField(0, .enum, 9), FITField(1, .enum, 1), FITField(24, .enum, 0),
                FITField(2, .uint32, Double(FITProfile.seconds(lap.start))),
                FITField(7, .uint32, lap.end.seconds(since: lap.start) * 1000),
                FITField(8, .uint32, session.timerSeconds(of: lap) * 1000),
                FITField(9, .uint32, summary.distanceMeters.map { $0 * 100 }),
                FITField(15, .uint8, summary.averageHeartRate),
                FITField(16, .uint8, summary.maxHeartRate),
                FITField(17, .uint8, summary.averageCadence.map { $0 / 2 }),
            ])
    }

    private mutating func addSummary() {
        let whole = RecordedLap(start: session.start, end: session.end)
        let summary = session.summary(of: whole, points: session.points.indices)
        let totals = session.totals
        let timer =
            totals.timerSeconds ?? session.timerSeconds(from: session.start, to: session.end)
        let sport = FITProfile.sports.first { $0.value == session.sport }?.key ?? 0
        let steps = totals.steps ?? session.points.last { $0.steps != nil }?.steps
        encoder.add(
            FITProfile.session, local: 6,
            [
                timestamp(session.end), FITField(254, .uint16, 0),
                // Event 8: session; type 1: stop; trigger 0: end of the activity.
                FITField(0, .enum, 8), FITField(1, .enum, 1), FITField(28, .enum, 0),
                FITField(2, .uint32, Double(FITProfile.seconds(session.start))),
                FITField(5, .enum, Double(sport)), FITField(6, .enum, 0),
                FITField(7, .uint32, session.end.seconds(since: session.start) * 1000),
                FITField(8, .uint32, timer * 1000),
                FITField(
                    9, .uint32, (totals.distanceMeters ?? summary.distanceMeters).map { $0 * 100 }),
                FITField(10, .uint32, steps.map { Double($0 / 2) }),
                FITField(16, .uint8, totals.averageHeartRate ?? summary.averageHeartRate),
                FITField(17, .uint8, totals.maxHeartRate ?? summary.maxHeartRate),
                FITField(18, .uint8, summary.averageCadence.map { $0 / 2 }),
                FITField(22, .uint16, totals.ascentMeters), FITField(25, .uint16, 0),
                FITField(26, .uint16, Double(session.lapsToEnd.count)),
            ])
        encoder.add(
            FITProfile.activity, local: 7,
            [
                timestamp(session.end), FITField(0, .uint32, timer * 1000),
                // Type 0: manual; event 26: activity.
                FITField(1, .uint16, 1), FITField(2, .enum, 0), FITField(3, .enum, 26),
                FITField(4, .enum, 1),
            ])
    }

    private func timestamp(_ time: Timestamp) -> FITField {
        FITField(FITProfile.timestamp, .uint32, Double(FITProfile.seconds(time)))
    }
}

extension SessionPoint {
    /// Merges two points of the same second into one record; `nil` if both have the same kinds of
    /// value, so both must be written.
    fileprivate func completed(by later: SessionPoint) -> SessionPoint? {
        guard time.wholeSecond == later.time.wholeSecond,
            latitude == nil || later.latitude == nil, heartRate == nil || later.heartRate == nil
        else { return nil }
        var point = self
        if point.latitude == nil {
            (point.latitude, point.longitude) = (later.latitude, later.longitude)
            point.horizontalAccuracyMeters = later.horizontalAccuracyMeters
        }
        point.altitudeMeters = point.altitudeMeters ?? later.altitudeMeters
        point.heartRate = point.heartRate ?? later.heartRate
        point.cadence = point.cadence ?? later.cadence
        point.distanceMeters = point.distanceMeters ?? later.distanceMeters
        point.speedMetersPerSecond = point.speedMetersPerSecond ?? later.speedMetersPerSecond
        point.steps = point.steps ?? later.steps
        return point
    }
}
