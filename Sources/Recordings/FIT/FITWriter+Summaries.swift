import SensorModel

/// Laps, sessions and activities.
extension FITWriter {
    /// Adds our laps, or those of the file that the session came from.
    mutating func addLaps() {
        guard !foreign.hasSummary(FITProfile.lap) else {
            for lap in foreign.summaries where lap.number == FITProfile.lap { add(lap) }
            return
        }
        for (index, part) in session.lapParts.enumerated() {
            add(part.lap, index: index, part.summary)
        }
    }

    private mutating func add(_ lap: RecordedLap, index: Int, _ summary: StretchSummary) {
        encoder.add(
            FITProfile.lap, local: Local.lap,
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

    /// Adds the session and the activity. If the file had one session, it gets our totals. Several
    /// sessions are parts of the run, and stay unchanged.
    mutating func addSessions() {
        let theirs = foreign.summaries.filter { $0.number == FITProfile.session }
        if theirs.count > 1 {
            for part in theirs { add(part) }
        } else {
            add(sessionFields, FITProfile.session, local: Local.session, joining: theirs.first)
        }
        let activities = foreign.summaries.filter { $0.number == FITProfile.activity }
        add(
            activityFields, FITProfile.activity, local: Local.activity,
            joining: activities.first)
    }

    private mutating func add(
        _ own: [FITField], _ number: UInt16, local: Int, joining theirs: FITRemainder?
    ) {
        let (fields, developerFields) = foreign.joined(
            own, theirs, replaced: FITProfile.replacedFields[number])
        encoder.add(number, local: local, fields, developerFields: developerFields)
    }

    private var timerSeconds: Double {
        session.totals.timerSeconds
            ?? session.timerSeconds(from: session.start, to: session.end)
    }

    private var sessionFields: [FITField] {
        let summary = session.wholeSummary
        let totals = session.totals
        let sport = FITProfile.sports.first { $0.value == session.sport }?.key ?? 0
        let steps = totals.steps ?? session.points.last { $0.steps != nil }?.steps
        return [
            timestamp(session.end), FITField(254, .uint16, 0),
            // Event 8: session; type 1: stop; trigger 0: end of the activity.
            FITField(0, .enum, 8), FITField(1, .enum, 1), FITField(28, .enum, 0),
            FITField(2, .uint32, Double(FITProfile.seconds(session.start))),
            FITField(5, .enum, Double(sport)), FITField(6, .enum, 0),
            FITField(7, .uint32, session.end.seconds(since: session.start) * 1000),
            FITField(8, .uint32, timerSeconds * 1000),
            FITField(
                9, .uint32, (totals.distanceMeters ?? summary.distanceMeters).map { $0 * 100 }),
            FITField(10, .uint32, steps.map { Double($0 / 2) }),
            FITField(16, .uint8, totals.averageHeartRate ?? summary.averageHeartRate),
            FITField(17, .uint8, totals.maxHeartRate ?? summary.maxHeartRate),
            FITField(18, .uint8, summary.averageCadence.map { $0 / 2 }),
            FITField(22, .uint16, totals.ascentMeters), FITField(25, .uint16, 0),
            FITField(26, .uint16, Double(session.lapsToEnd.count)),
        ]
    }

    private var activityFields: [FITField] {
        [
            timestamp(session.end), FITField(0, .uint32, timerSeconds * 1000),
            // Type 0: manual; event 26: activity.
            FITField(1, .uint16, 1), FITField(2, .enum, 0), FITField(3, .enum, 26),
            FITField(4, .enum, 1),
        ]
    }
}
