import SensorModel

extension SessionPipeline {
    mutating func raise(
        _ window: WritableKeyPath<SessionPipeline, CancelWindow>,
        into events: inout [StreamEvent]
    ) {
        tell(self[keyPath: window].raise(at: max(moment, shownAt)), into: &events)
    }

    mutating func tell(_ alert: Alert?, into events: inout [StreamEvent]) {
        guard let alert else { return }
        emit(.alert(alert), into: &events)
        owesMetrics = true
    }

    mutating func cancelAlerts(into events: inout [StreamEvent]) {
        let now = max(moment, shownAt)
        tell(fall.cancel(at: now), into: &events)
        tell(standing.cancel(at: now), into: &events)
        tell(safetyTimer.cancel(at: now), into: &events)
        tell(sos.cancel(at: now), into: &events)
        tell(zoneDrift.dismiss(at: now), into: &events)
    }

    /// - Parameters:
    ///   - time: Of the movement; `nil` when it has been noted already.
    ///   - events: What follows is appended.
    mutating func noMovementEnded(at time: Timestamp?, into events: inout [StreamEvent]) {
        if let time { noMovement.moved(at: time) }
        if standing.isActive { tell(standing.clear(), into: &events) }
    }

    mutating func tickWindows(into events: inout [StreamEvent]) {
        let now = max(moment, shownAt)
        tell(fall.tick(at: now), into: &events)
        tell(standing.tick(at: now), into: &events)
        tell(safetyTimer.tick(at: now), into: &events)
        tell(sos.tick(at: now), into: &events)
        tickSafetyTimer(at: now, into: &events)
    }

    /// When the session has lasted longer than the wearer meant; `nil`: no timer, or it has run out.
    var safetyDeadline: Timestamp? {
        guard let start = clock.start, let limit = profile.safetyTimerSeconds,
            !safetyTimerRaised
        else { return nil }
        return start.advanced(bySeconds: limit)
    }

    /// Runs while the device is silent, too: that may be why it was set.
    private mutating func tickSafetyTimer(
        at now: Timestamp, into events: inout [StreamEvent]
    ) {
        guard let deadline = safetyDeadline, now >= deadline else { return }
        safetyTimerRaised = true
        tell(safetyTimer.raise(at: now), into: &events)
    }

    mutating func tickAlerts(into events: inout [StreamEvent]) {
        tickWindows(into: &events)
        let liveZone = liveHeartRate(at: moment).map(zones.zone)
        tell(
            zoneDrift.tick(zone: liveZone, target: profile.targetZone, seconds: 1, at: moment),
            into: &events)
        let isHeard = moment.seconds(since: heardAt) <= Self.sessionStaleSeconds
        if noMovement.tick(at: moment, manuallyPaused: isManuallyPaused, isHeard: isHeard) {
            raise(\.standing, into: &events)
        }
        if let meters = distance.meters, !movingTime.isPaused {
            tell(
                paceAlert.update(
                    pace: paceSecondsPerKm, target: profile.targetPaceSecondsPerKm,
                    meters: meters, at: moment),
                into: &events)
        }
    }

    var activeAlerts: [AlertKind] {
        var kinds: [AlertKind] = []
        if zoneDrift.isActive { kinds.append(.zoneDrift) }
        if paceAlert.isActive { kinds.append(.pace) }
        for window in [fall, standing, safetyTimer, sos] where window.isActive {
            kinds.append(window.kind)
        }
        if course?.isOffCourse == true { kinds.append(.offCourse) }
        return kinds
    }
}
