public import SensorModel

/// What viewers may see of one session: its recorded events in, in the order of the log; what is
/// shown of them out. Every way to a viewer goes through here.
///
///     recorded ─▶ held back, if the finish is trimmed ─▶ hidden stretches taken out ─▶ shown
///
/// Pure: a function of the events and their arrival times, so live, history, rewind and replay show
/// the same. A copy taken between two events goes on from there, which is how a seek or a page of
/// history avoids the way from the session's beginning: see ``ProjectionIndex``.
///
/// Where something is hidden, nothing hidden counts. Totals begin at 0 with the first shown point
/// and rest while the runner is hidden; the session looks `waiting`. Safety alerts always pass.
public struct SessionProjection: Sendable {
    /// A runner who stays hidden for so long is shown as `ended`. When the session really ended
    /// would tell how long the hidden way to the finish was.
    public static let hiddenSecondsMax = 900.0

    public let rule: ProjectionRule
    private var hiding: HiddenStretches?
    private var trim: FinishTrim?
    /// What was shown last, and so far.
    public private(set) var progress = Progress()
    private var hasEndedView = false
    /// When something last came into view: with a finish held back, minutes after it happened.
    /// Arrival clock.
    private var inViewAt: Timestamp?

    /// What a reader that goes on from here must know of what was shown before.
    public struct Progress: Sendable {
        /// The first shown event's device time; `nil`: nothing was shown yet.
        public fileprivate(set) var startedAt: Timestamp?
        /// The newest metrics that were shown.
        public fileprivate(set) var metrics: ShownEvent?
        public fileprivate(set) var splits: [Split] = []
        /// The newest shown event, of any kind.
        public fileprivate(set) var newest: ShownEvent?
    }

    public init(_ rule: ProjectionRule) {
        self.rule = rule
        guard case .hiding(let settings) = rule else { return }
        hiding = HiddenStretches(settings)
        trim = FinishTrim(settings)
    }

    /// Whether anything of the session was shown. Of a session with something to hide only.
    public var hasShown: Bool { progress.newest != nil }

    /// What a copy holds, roughly.
    var bytes: Int {
        MemoryLayout<Self>.size + (hiding == nil ? 0 : MemoryLayout<HiddenStretches>.size)
            + progress.splits.count * MemoryLayout<Split>.size
    }

    /// The oldest event that is held back.
    var firstHeld: HeldEvents.Entry? { trim?.first }

    /// Bytes that what is held back takes of memory.
    public var heldBytes: Int { trim?.heldBytes ?? 0 }

    /// A copy that holds nothing back: ``firstHeld`` is what it must take next.
    func rewound() -> SessionProjection {
        var copy = self
        copy.trim = trim?.rewound()
        return copy
    }

    /// When ``advance(to:into:)`` next does something by itself; `nil`: not before a record comes.
    /// Arrival clock.
    public var nextDeadline: Timestamp? { nextDue(after: Self.lagSecondsMax) }

    /// From a record's arrival until it is taken, at most. Time alone releases nothing before that:
    /// whether the runner has left a place must not depend on how fast records are taken.
    static let lagSecondsMax = 5.0

    private func nextDue(after lagSeconds: Double) -> Timestamp? {
        let release = trim?.nextDue?.advanced(bySeconds: lagSeconds)
        guard let viewEnd else { return release }
        return release.map { min($0, viewEnd) } ?? viewEnd
    }

    private var viewEnd: Timestamp? {
        guard let hiding, hiding.isHidden, !hasEndedView, let inViewAt else { return nil }
        return inViewAt.advanced(bySeconds: Self.hiddenSecondsMax)
    }

    /// Takes the session's next event. Every event must come, in the order of the log.
    ///
    /// - Parameters:
    ///   - event: As it is recorded.
    ///   - offset: Of its record.
    ///   - arrival: Of its record.
    ///   - shown: What may be shown now is appended: nothing, the event, or others held back so far.
    public mutating func take(
        _ event: StreamEvent, at offset: RecordOffset, arrival: Timestamp,
        into shown: inout [ShownEvent]
    ) {
        let recorded = ShownEvent(event: event, offset: offset, arrival: arrival)
        guard hiding != nil else { return show(recorded, into: &shown) }
        advance(to: arrival, lagSeconds: 0, into: &shown)
        if case .metrics(let metrics) = event.kind, let position = metrics.position {
            trim?.move(latitude: position.latitude, longitude: position.longitude)
        }
        if event.kind.isSafetyAlert {
            // Cursors rise: what happened before it cannot be shown after it.
            while let released = trim?.release() { project(released, at: arrival, into: &shown) }
        } else if trim?.hold(recorded) ?? false {
            for _ in 0..<(trim?.excessCount ?? 0) {
                guard let released = trim?.release() else { break }
                project(released, at: arrival, into: &shown)
            }
            return
        }
        project(recorded, isNear: false, at: arrival, into: &shown)
    }

    /// Shows what has waited long enough, and ends the view of a runner who has been hidden for too
    /// long.
    ///
    /// - Parameters:
    ///   - now: Arrival clock; not before the last record's.
    ///   - shown: What is shown is appended.
    public mutating func advance(to now: Timestamp, into shown: inout [ShownEvent]) {
        advance(to: now, lagSeconds: Self.lagSecondsMax, into: &shown)
    }

    private mutating func advance(
        to now: Timestamp, lagSeconds: Double, into shown: inout [ShownEvent]
    ) {
        while let next = nextDue(after: lagSeconds), next <= now {
            let due = next.advanced(bySeconds: -lagSeconds)
            guard let released = trim?.release(at: due) else {
                endView(at: next, into: &shown)
                continue
            }
            project(released, at: due, into: &shown)
        }
    }

    private mutating func endView(at due: Timestamp, into shown: inout [ShownEvent]) {
        hasEndedView = true
        guard let newest = progress.newest else { return }
        var metrics = Metrics()
        if case .metrics(let last) = progress.metrics?.event.kind { metrics = last }
        metrics = metrics.resting(as: .ended)
        // The records behind the newest shown one are hidden, and so are their numbers: they are
        // the only ones that tell nothing of what came after.
        for (step, kind) in [StreamEvent.Kind.metrics(metrics), .ended].enumerated() {
            show(
                ShownEvent(
                    event: StreamEvent(deviceTime: newest.event.deviceTime, kind: kind),
                    offset: RecordOffset(rawValue: newest.offset.rawValue + UInt64(step) + 1),
                    arrival: due),
                into: &shown)
        }
        hasEndedView = true
    }

    private mutating func project(
        _ released: FinishTrim.Released, at now: Timestamp, into shown: inout [ShownEvent]
    ) {
        project(released.recorded, isNear: released.isNear, at: now, into: &shown)
    }

    /// `now`: arrival clock.
    private mutating func project(
        _ recorded: ShownEvent, isNear: Bool, at now: Timestamp, into shown: inout [ShownEvent]
    ) {
        let event = recorded.event
        guard let kind = hiding?.project(event, isNear: isNear) else { return }
        // The first record after a long silence may have the number that a view ended with.
        if let newest = progress.newest, recorded.offset <= newest.offset { return }
        inViewAt = now
        show(
            ShownEvent(
                event: StreamEvent(deviceTime: event.deviceTime, kind: kind),
                offset: recorded.offset, arrival: recorded.arrival),
            into: &shown)
    }

    private mutating func show(_ event: ShownEvent, into shown: inout [ShownEvent]) {
        shown.append(event)
        // Where nothing is hidden the log's own snapshots say what was shown.
        guard hiding != nil else { return }
        hasEndedView = false
        if progress.startedAt == nil { progress.startedAt = event.event.deviceTime }
        progress.newest = event
        switch event.event.kind {
        case .metrics: progress.metrics = event
        case .split(let split):
            progress.splits.append(split)
            if progress.splits.count > SessionFields.splitsMax { progress.splits.removeFirst() }
        default: break
        }
    }
}

extension StreamEvent.Kind {
    /// Help is wanted, or no more.
    var isSafetyAlert: Bool {
        guard case .alert(let alert) = self else { return false }
        return alert.kind.neededScope == []
    }
}

extension Metrics {
    /// What is left of them while the runner is hidden: totals and safety alerts.
    func resting(as state: ValueState) -> Metrics {
        var resting = Metrics()
        resting.state = state
        resting.elapsedSeconds = elapsedSeconds
        resting.movingSeconds = movingSeconds
        resting.pausedSeconds = pausedSeconds
        resting.steps = steps
        resting.distanceMeters = distanceMeters
        resting.distanceUncertaintyMeters = distanceUncertaintyMeters
        resting.elevationGainMeters = elevationGainMeters
        resting.elevationLossMeters = elevationLossMeters
        resting.zoneSeconds = zoneSeconds
        resting.averageHeartRate = averageHeartRate
        resting.maxHeartRate = maxHeartRate
        resting.averageCadence = averageCadence
        resting.trainingLoad = trainingLoad
        resting.caloriesKcal = caloriesKcal
        resting.effortKm = effortKm
        resting.activeAlerts = activeAlerts.filter { $0.neededScope == [] }
        return resting
    }
}
