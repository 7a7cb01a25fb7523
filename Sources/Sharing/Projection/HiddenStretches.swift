import SensorModel

/// Removes the hidden stretches from a session's events.
///
///     before ──first shown point──▶ shown ──enters──▶ hidden ──leaves──▶ shown
struct HiddenStretches: Sendable {
    private enum Phase: Sendable {
        /// The runner is hidden; `since` holds the recorded totals at the last shown point.
        case hidden(since: SessionTotals)
        case shown(Stretch)
    }

    /// The state since the first shown point of a stretch.
    private struct Stretch: Sendable {
        let start: Timestamp
        /// The session's maximum at the start of the stretch: a higher one was reached while shown.
        let maxHeartRateBefore: Double?
        /// Number of the plan's phase that began while the runner was hidden.
        let foreignInterval: Int?
        let totals: SessionTotals
        var way: ShownWay

        init(_ metrics: Metrics, at time: Timestamp) {
            start = time
            maxHeartRateBefore = metrics.maxHeartRate
            foreignInterval = metrics.interval?.number
            totals = SessionTotals(metrics)
            way = ShownWay(metrics)
        }

        mutating func follow(_ metrics: Metrics, after before: Metrics) {
            way.update(metrics, after: before, since: totals)
        }
    }

    private let showsHeartRate: Bool
    private var places: HiddenPlaces
    private var phase = Phase.hidden(since: SessionTotals())
    /// The stretch since the track resumed, while the track is not trusted yet. If the runner has
    /// been in no hidden place since, it becomes the shown stretch.
    private var landed: Stretch?
    /// Totals of all hidden stretches, up to the last point at which the runner became visible.
    private var hidden = SessionTotals()
    private var splits = ShownSplits()
    /// Completed splits that were not sent yet. Each replaces one second's metrics.
    private var pendingSplits: [Split] = []
    /// As many splits as a snapshot shows.
    private static let pendingSplitsMax = 256
    /// The newest metrics, as recorded and as shown.
    private var newest = (recorded: Metrics(), shown: Metrics())
    private var heartRate = ShownHeartRate()
    private var climb = ShownClimb()
    /// Whether the runner was in a hidden place.
    private var hasHiddenPlace = false
    /// Totals at the last shown point, while the runner's place is awaited: see ``awaitPosition()``.
    private var awaited: SessionTotals?

    init(_ settings: PrivacySettings) {
        self.init(HiddenPlaces(settings), showsHeartRate: settings.showsHeartRate)
    }

    private init(_ places: HiddenPlaces, showsHeartRate: Bool) {
        self.places = places
        self.showsHeartRate = showsHeartRate
    }

    mutating func loseStart() { places.loseStart() }

    mutating func setTreadmill(_ isOn: Bool) { places.isOnTreadmill = isOn }

    /// Notes that a session begins anew under the ID, with a start and totals of its own.
    mutating func beginAnew() {
        places.beginAnew()
        self = Self(places, showsHeartRate: showsHeartRate)
    }

    /// Notes that another run of the session begins, with the totals of the one before. The next
    /// position is another start. Nothing is shown of it before: the moment would reveal how long
    /// the way from the start to the first visible point is.
    ///
    /// - Returns: Whether the runner was in view before.
    mutating func beginRun() -> Bool {
        places.beginAnew()
        (landed, awaited) = (nil, nil)
        guard case .shown = phase else { return false }
        phase = .hidden(since: SessionTotals(newest.recorded))
        newest.shown = newest.shown.resting(as: .waiting)
        return true
    }

    /// Notes that the device sends again after a minute without anything. A runner in view is shown
    /// again with the first live position. If that is hidden, nothing tells that the device sends:
    /// it may have been switched off at home, and the moment would reveal how long the way from
    /// there to the first visible point is.
    mutating func awaitPosition() {
        guard case .shown = phase, newest.recorded.position != nil, !places.isOnTreadmill else {
            return
        }
        awaited = awaited ?? SessionTotals(newest.recorded)
    }

    /// Notes that events were lost. The runner then counts as hidden, since the way is unknown.
    mutating func losePlace() {
        guard places.losePlace(), case .shown = phase else { return }
        phase = .hidden(since: awaited ?? SessionTotals(newest.recorded))
        awaited = nil
    }

    /// The track up to the newest event.
    var track: TrackTrust { places.track }

    /// The newest metrics as shown, even if a split was sent in their place.
    var newestShown: Metrics { newest.shown }

    var isHidden: Bool {
        if case .hidden = phase { true } else { false }
    }

    /// - Parameters:
    ///   - event: The recorded event.
    ///   - isNear: Whether it happened near the possible finish.
    /// - Returns: The visible form of the event; `nil`: hidden.
    mutating func project(_ event: StreamEvent, isNear: Bool) -> StreamEvent.Kind? {
        if case .metrics(let metrics) = event.kind {
            return project(metrics, at: event.deviceTime, isNear: isNear)
        }
        if event.kind.isCallForHelp { return event.kind }
        guard case .shown(let stretch) = phase, !isNear,
            awaited == nil || event.kind.isOfSilence
        else { return nil }
        return project(event.kind, in: stretch)
    }

    // MARK: Metrics

    private mutating func project(
        _ metrics: Metrics, at time: Timestamp, isNear: Bool
    ) -> StreamEvent.Kind? {
        places.update(metrics, at: time)
        let isHidden = isNear || places.isHidden
        landed?.follow(metrics, after: newest.recorded)
        if places.hasLandedOutside { landed = Stretch(metrics, at: time) }
        if isNear || !places.isOutsideSinceLanding {
            landed = nil
            hasHiddenPlace = hasHiddenPlace || metrics.position != nil
        }
        defer { newest.recorded = metrics }
        switch phase {
        case .hidden(let since):
            guard !isHidden else { return rest(metrics) }
            let stretch = landed ?? Stretch(metrics, at: time)
            landed = nil
            hidden.add(from: since, to: stretch.totals)
            climb.begin(stretch.totals, isWhole: !isMixed)
            return show(metrics, in: stretch)
        case .shown(var stretch):
            guard !isHidden else { return hide(metrics) }
            stretch.follow(metrics, after: newest.recorded)
            if awaited != nil, !StreamEvent.Kind.metrics(metrics).isOfSilence {
                guard metrics.position?.state == .live else {
                    phase = .shown(stretch)
                    return nil
                }
                awaited = nil
            }
            return show(metrics, in: stretch)
        }
    }

    private mutating func hide(_ metrics: Metrics) -> StreamEvent.Kind? {
        guard let awaited else {
            phase = .hidden(since: SessionTotals(newest.recorded))
            return rest(metrics, enters: true)
        }
        self.awaited = nil
        phase = .hidden(since: awaited)
        newest.shown = newest.shown.resting(as: .waiting)
        return nil
    }

    private mutating func show(_ metrics: Metrics, in stretch: Stretch) -> StreamEvent.Kind {
        var stretch = stretch
        let excess = stretch.way.takeExcess()
        phase = .shown(stretch)
        // If nothing was hidden, the excess belongs to the session's own totals.
        if isMixed {
            hidden.distanceMeters += excess.meters
            hidden.movingSeconds += excess.movingSeconds
        }
        var shown = metrics
        hidden.subtract(from: &shown)
        climb.update(&shown, of: metrics)
        keepUnmixed(&shown, of: metrics, in: stretch)
        pendingSplits += splits.update(shown)
        if pendingSplits.count > Self.pendingSplitsMax {
            pendingSplits.removeFirst(pendingSplits.count - Self.pendingSplitsMax)
        }
        let isQuiet = shown.hasStates(of: newest.shown)
        newest.shown = shown
        // A record has one cursor, so a split replaces one second's metrics; the next metrics
        // include their values. A change of state is never delayed.
        if isQuiet, !pendingSplits.isEmpty { return .split(pendingSplits.removeFirst()) }
        return .metrics(shown)
    }

    /// Removes whole-session values that cannot be reduced to the shown part, if a part was hidden.
    private mutating func keepUnmixed(
        _ shown: inout Metrics, of metrics: Metrics, in stretch: Stretch
    ) {
        shown.forgetStale(besides: newest.shown)
        heartRate.update(
            &shown, of: metrics, maximumBefore: stretch.maxHeartRateBefore,
            isWhole: !isMixed)
        shown.interval =
            metrics.interval?.number == stretch.foreignInterval ? nil : metrics.interval
        shown.course?.forgetPredictions()
        // It has the climb of the course ahead, even in a hidden place.
        if shown.course != nil { shown.finishEstimate = nil }
        if metrics.elapsedSeconds - stretch.totals.elapsedSeconds < Self.gradeSeconds {
            shown.gradePercent = nil
            shown.gradeAdjustedPaceSecondsPerKm = nil
        }
        guard isMixed else { return }
        shown.decouplingPercent = nil
        shown.targetZonePercent = nil
        shown.finishEstimate = nil
        // These depend on the whole way and are no sums, so its length could be computed from them.
        shown.distanceUncertaintyMeters = nil
        // This value depends on minutes of the runner's movement.
        shown.speedUncertaintyMetersPerSecond = nil
        shown.caloriesKcal = nil
        // Kilometers plus climb / 100 m, as for the session, but from shown values.
        shown.effortKm = shown.effortKm.map { _ in
            (shown.distanceMeters ?? 0) / 1000 + (shown.elevationGainMeters ?? 0) / 100
        }
        shown.interval = nil
        shown.activeAlerts.removeAll(where: \.countsFromStart)
        if shown.zoneSeconds.reduce(0, +) < Self.loadSecondsMin { shown.trainingLoad = nil }
        // hrTSS is unknown in a session's first minutes. Their hidden part could not be subtracted,
        // and whether hrTSS is shown would reveal how long the runner was hidden.
        shown.trainingLoad?.hrTSS = nil
        shown.averageCadence = shown.steps.flatMap { steps in
            shown.movingSeconds >= 10 ? Double(steps) * 60 / shown.movingSeconds : nil
        }
    }

    /// Whether the session's values include hidden distance or hidden time, pauses included.
    private var isMixed: Bool {
        hasHiddenPlace || hidden.distanceMeters != 0 || hidden.elapsedSeconds > Self.fixSeconds
    }

    /// Seconds of heart rate before the load is shown, the bound of the reference. Without it, the
    /// moment of its appearance would reveal how long the runner was hidden.
    private static let loadSecondsMin = 300.0

    /// The grade looks back 150 m. A time is used, since a distance's steps may be hidden.
    private static let gradeSeconds = 200.0

    /// A receiver's first fix comes a little late, so steps before it are no hidden path.
    private static let fixSeconds = 60.0

    /// - Returns: The metrics of a hidden runner; `nil` if viewers need no new ones.
    private mutating func rest(_ metrics: Metrics, enters: Bool = false) -> StreamEvent.Kind? {
        var resting = newest.shown.resting(as: .waiting)
        resting.activeAlerts = metrics.activeAlerts.filter(\.isCallForHelp)
        if showsHeartRate { resting.heartRate = metrics.heartRate }
        let isChanged = enters || resting != newest.shown
        // Before the first shown point there are no totals to show.
        guard isChanged, resting != Metrics() else { return nil }
        newest.shown = resting
        return .metrics(resting)
    }

    // MARK: Events

    private mutating func project(
        _ kind: StreamEvent.Kind, in stretch: Stretch
    ) -> StreamEvent.Kind? {
        switch kind {
        case .marker, .zoneChanged, .sourceChanged, .ended: return kind
        case .alert(let alert): return isMixed && alert.kind.countsFromStart ? nil : kind
        // A watch that laps each kilometer counts the whole way. The place of a later lap would
        // reveal the distance hidden before it, except for whole kilometers.
        case .lap: return isMixed ? nil : kind
        // Numbers of a plan's phases count from the session's real start.
        case .intervalStarted, .intervalEnding, .intervalEnded:
            return isMixed ? nil : interval(kind, in: stretch)
        case .paused(let since, let automatic):
            return .paused(since: max(since, stretch.start), automatic: automatic)
        case .resumed(let since, let automatic):
            return .resumed(since: max(since, stretch.start), automatic: automatic)
        case .correction(.pauseBegan(let shown, let since)),
            .correction(.pauseEnded(let shown, let since)):
            return min(shown, since) >= stretch.start ? kind : nil
        case .checkpointReached(var reached):
            reached.elapsedSeconds = max(0, reached.elapsedSeconds - hidden.elapsedSeconds)
            reached.distanceMeters = reached.distanceMeters.map {
                max(0, $0 - hidden.distanceMeters)
            }
            return .checkpointReached(reached)
        // The session's own splits and the numbers of lost frames count from its real start.
        case .split, .correction(.split), .gap, .metrics: return nil
        }
    }

    private func interval(_ kind: StreamEvent.Kind, in stretch: Stretch) -> StreamEvent.Kind? {
        switch kind {
        case .intervalStarted(let start): start.since >= stretch.start ? kind : nil
        case .intervalEnding(let number, _): number == stretch.foreignInterval ? nil : kind
        case .intervalEnded(let interval): interval.start >= stretch.start ? kind : nil
        default: nil
        }
    }
}

extension Metrics {
    fileprivate func hasStates(of other: Metrics) -> Bool {
        state == other.state && heartRate?.state == other.heartRate?.state
            && cadence?.state == other.cadence?.state
            && position?.state == other.position?.state && autoPaused == other.autoPaused
            && manuallyPaused == other.manuallyPaused && activeAlerts == other.activeAlerts
    }
}

extension CourseProgress {
    /// Removes predicted times. With the shown speed, each gives a checkpoint's distance, even of
    /// one in or behind a hidden place, and the metrics do not say which ones are.
    fileprivate mutating func forgetPredictions() {
        predictedSeconds = nil
        for index in later.indices { later[index].predictedSeconds = nil }
    }
}
