public import SensorModel

/// The visible part of one session. Input: its recorded events, in log order. Output: the shown
/// events. All data for viewers pass through it.
///
///     recorded ─▶ held back, if the finish is trimmed ─▶ hidden stretches removed ─▶ shown
///
/// It is a pure function of the events and their arrival times, so live, history, rewind and replay
/// show the same. A copy made between two events can continue from there. So a seek or a page of
/// history need not start at the session's beginning: see ``ProjectionIndex``.
///
/// Hidden parts do not count. Totals begin at 0 with the first shown point and stay constant while
/// the runner is hidden; the session then looks `waiting`. Calls for help always pass.
public struct SessionProjection: Sendable {
    /// Hidden time, seconds, after which a runner is shown as `ended`. The real end of the session
    /// would reveal the length of the hidden path to the finish.
    public static let hiddenSecondsMax = 900.0

    public let rule: ProjectionRule
    private var hiding: HiddenStretches?
    private var start = Start.awaited
    /// The session's runs, as of the newest event and as of the newest one that was not held back.
    private var runs = (taken: RunBreaks(), projected: RunBreaks())
    private var trim: FinishTrim?
    /// The shown state so far.
    public private(set) var progress = Progress()
    private var hasEndedView = false
    /// Whether the view keeps its last values, without an end, until the runner comes into view
    /// again or the session ends.
    private var isViewKept = false
    /// Release time of the last visible event, minutes late with a trimmed finish. Arrival clock.
    private var inViewAt: Timestamp?

    /// Whether the session's first position is known. A trimmed start is hidden around it.
    private enum Start: Sendable {
        /// Nothing was processed.
        case awaited
        /// The session's first record was processed, and no position yet.
        case begun
        case known
        /// Retention or damage removed it.
        case lost
    }

    public init(_ rule: ProjectionRule) {
        self.rule = rule
        guard case .hiding(let settings) = rule else { return }
        hiding = HiddenStretches(settings)
        trim = FinishTrim(settings)
    }

    /// Whether anything of the session was shown. Valid only for a session with hidden parts.
    public var hasShown: Bool { progress.newest != nil }

    /// Approximate bytes of a copy.
    package var bytes: Int {
        MemoryLayout<Self>.size + (hiding == nil ? 0 : MemoryLayout<HiddenStretches>.size)
            + progress.splits.count * MemoryLayout<Split>.size
    }

    /// Bytes of the shown splits.
    var splitBytes: Int { progress.splits.capacity * MemoryLayout<Split>.stride }

    /// The oldest and the newest held event.
    var firstHeld: HeldEvents.Entry? { trim?.first }
    var lastHeld: HeldEvents.Entry? { trim?.last }

    /// Times at which the first and the last held event are released without further records;
    /// `nil`: none is held. Arrival clock.
    var releases: ClosedRange<Timestamp>? {
        guard let first = trim?.nextDue, let last = trim?.lastDue else { return nil }
        let from = first.advanced(bySeconds: Self.lagSecondsMax)
        return from...max(from, last.advanced(bySeconds: Self.lagSecondsMax))
    }

    /// Bytes of the held events.
    public var heldBytes: Int { trim?.heldBytes ?? 0 }

    /// A copy without held events: it must process ``firstHeld`` next.
    func rewound() -> SessionProjection {
        var copy = self
        copy.runs.taken = runs.projected
        if let hiding { copy.trim = trim?.rewound(to: hiding.track) }
        return copy
    }

    /// Time of the next work of ``advance(to:into:)``; `nil`: none before a record. Arrival clock.
    public var nextDeadline: Timestamp? { nextDue(after: Self.lagSecondsMax) }

    /// Longest time from a record's arrival to its processing. Time alone releases nothing before
    /// that: the decision whether the runner left a place must not depend on the speed of
    /// processing.
    package static let lagSecondsMax = 5.0

    private func nextDue(after lagSeconds: Double) -> Timestamp? {
        let release = trim?.nextDue?.advanced(bySeconds: lagSeconds)
        guard let viewEnd else { return release }
        return release.map { min($0, viewEnd) } ?? viewEnd
    }

    private var viewEnd: Timestamp? {
        guard let hiding, hiding.isHidden, !hasEndedView, !isViewKept, let inViewAt else {
            return nil
        }
        return inViewAt.advanced(bySeconds: Self.hiddenSecondsMax)
    }

    /// Processes a mark, in log order with the events. After a loss, or without ``Mark/beginning``,
    /// a session is hidden until its next position; if its trimmed start is unknown, entirely.
    ///
    /// A second beginning is that of another session under the ID, after the first was removed, or
    /// a later head in a log of an earlier program. So possible starts of the first session stay
    /// hidden. The next position is another start, after which the track is not trusted yet.
    public mutating func note(_ mark: Mark) {
        switch (mark, start) {
        case (.profile(let isOnTreadmill), _): hiding?.setTreadmill(isOnTreadmill)
        case (.beginning, .awaited): start = .begun
        case (.loss, .awaited), (.loss, .begun): loseStart()
        case (.loss, .known), (.loss, .lost): hiding?.losePlace()
        case (.beginning, .begun), (.beginning, .known):
            start = .begun
            beginAnew()
        case (.beginning, .lost): beginAnew()
        }
    }

    private mutating func beginAnew() {
        runs.taken.beginAnew()
        runs.projected.beginAnew()
        hiding?.beginAnew()
        trim?.beginAnew()
    }

    /// Treats the end of a run as a finish, and another run's beginning as another start: the runner
    /// may have been at home meanwhile.
    private mutating func takeRun(_ event: StreamEvent, arrival: Timestamp) {
        switch runs.taken.take(event, arrival: arrival) {
        case .none, .resumes: break
        case .ends: trim?.endRun()
        case .continues, .begins:
            if case .known = start { start = .begun }
            trim?.endRun()
            trim?.beginAnew()
        }
    }

    /// The same for the start, once an event is no longer held back.
    ///
    /// The view does not change before the runner comes into view again: when the other run began
    /// would reveal the length of the hidden path to its first visible point.
    private mutating func projectRun(_ recorded: ShownEvent, at now: Timestamp) {
        switch runs.projected.take(recorded.event, arrival: recorded.arrival) {
        case .none: break
        case .ends:
            if isViewKept { (isViewKept, inViewAt) = (false, now) }
        case .continues:
            if hiding?.beginRun() ?? false { hasEndedView = true }
        case .begins:
            if hiding?.beginRun() ?? false { keepOverdueView(at: now) }
        case .resumes: hiding?.awaitPosition()
        }
    }

    /// Keeps a view whose end is due already. A later end may come, at a time that does not depend
    /// on this event.
    private mutating func keepOverdueView(at now: Timestamp) {
        if let viewEnd, viewEnd <= now { isViewKept = true }
    }

    private mutating func noteStart(_ event: StreamEvent) {
        switch start {
        case .awaited: loseStart()
        case .begun:
            if event.position != nil { start = .known }
        case .known, .lost: break
        }
    }

    private mutating func loseStart() {
        start = .lost
        hiding?.loseStart()
        trim?.loseStart()
    }

    /// Processes the session's next event. The caller passes every event, in log order.
    ///
    /// - Parameters:
    ///   - event: The recorded event.
    ///   - offset: Offset of its record.
    ///   - arrival: Arrival of its record.
    ///   - shown: Receives the events to show now: none, this event, or earlier held ones.
    public mutating func take(
        _ event: StreamEvent, at offset: RecordOffset, arrival: Timestamp,
        into shown: inout [ShownEvent]
    ) {
        let recorded = ShownEvent(event: event, offset: offset, arrival: arrival)
        guard hiding != nil else { return show(recorded, into: &shown) }
        takeRun(event, arrival: arrival)
        noteStart(event)
        if takeDecided(recorded, into: &shown) { return }
        advance(to: arrival, lagSeconds: 0, into: &shown)
        move(by: event)
        if event.kind.isCallForHelp {
            // Cursors rise, so held events must be shown before this one.
            while let released = trim?.release() { project(released, at: arrival, into: &shown) }
        } else if trim?.hold(recorded, isOver: runs.taken.isOver) ?? false {
            for _ in 0..<(trim?.excessCount ?? 0) {
                guard let released = trim?.release() else { break }
                project(released, at: arrival, into: &shown)
            }
            return
        }
        project(recorded, isNear: false, at: arrival, into: &shown)
    }

    /// Moves the runner to the event's position, if it has one.
    private mutating func move(by event: StreamEvent) {
        guard case .metrics(let metrics) = event.kind, let position = metrics.position else {
            return
        }
        trim?.move(metrics, position, at: event.deviceTime)
    }

    /// Processes an event that an earlier pass decided, with the release of that pass.
    ///
    /// - Returns: `false` if the event is undecided.
    private mutating func takeDecided(
        _ recorded: ShownEvent, into shown: inout [ShownEvent]
    ) -> Bool {
        guard !recorded.event.kind.isCallForHelp,
            let (verdict, releasedAt) = trim?.decided(recorded)
        else { return false }
        move(by: recorded.event)
        // At equal times, an ended wait precedes the end of the view, and an early release follows.
        let due = releasedAt.advanced(bySeconds: verdict.lagSeconds)
        if let viewEnd, verdict.releasedEarly == nil ? viewEnd < due : viewEnd <= due {
            endView(at: viewEnd, into: &shown)
        }
        project(recorded, isNear: verdict.isNear, at: releasedAt, into: &shown)
        return true
    }

    /// Uses the decisions of an earlier pass over the session for later events. No effect while
    /// events are held: their own decisions come first.
    ///
    /// - Parameters:
    ///   - verdicts: Verdicts of that pass.
    ///   - extends: Whether this pass adds decisions too: see ``verdicts``.
    package mutating func use(_ verdicts: FinishVerdicts, extends: Bool = false) {
        guard firstHeld == nil else { return }
        trim?.use(verdicts, extends: extends)
    }

    /// Decisions on the processed events and on those decided before.
    package var verdicts: FinishVerdicts { trim?.verdicts ?? FinishVerdicts() }

    /// Shows events whose wait is over, and ends the view of a runner who has been hidden too long.
    ///
    /// - Parameters:
    ///   - now: Time of the arrival clock; not before the last record's.
    ///   - shown: Receives the events to show.
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
            project(released, at: due, lagSeconds: lagSeconds, into: &shown)
        }
    }

    private mutating func endView(at due: Timestamp, into shown: inout [ShownEvent]) {
        hasEndedView = true
        guard let newest = progress.newest else { return }
        var metrics = Metrics()
        if case .metrics(let last) = progress.metrics?.event.kind { metrics = last }
        metrics = metrics.resting(as: .ended)
        // The records after the newest shown one are hidden, so their numbers are free. Only these
        // numbers reveal nothing of later records.
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
        _ released: FinishTrim.Released, at now: Timestamp, lagSeconds: Double = 0,
        into shown: inout [ShownEvent]
    ) {
        trim?.note(released, at: now, lagSeconds: lagSeconds)
        project(released.recorded, isNear: released.isNear, at: now, into: &shown)
    }

    /// Projects an event; `now` is the time of the arrival clock.
    private mutating func project(
        _ recorded: ShownEvent, isNear: Bool, at now: Timestamp, into shown: inout [ShownEvent]
    ) {
        let event = recorded.event
        projectRun(recorded, at: now)
        let wasHidden = hiding?.isHidden ?? false
        guard let kind = hiding?.project(event, isNear: isNear) else {
            if !wasHidden { keepOverdueView(at: now) }
            return
        }
        // The first record after a long silence may have an offset that the view's end has used.
        if let newest = progress.newest, recorded.offset <= newest.offset { return }
        inViewAt = now
        // The time of a late part's first hidden record would reveal when the run began.
        var time: Timestamp?
        if case .metrics = kind, hiding?.isHidden == true {
            time = progress.newest?.event.deviceTime
        }
        var seen = ShownEvent(
            event: StreamEvent(deviceTime: time ?? event.deviceTime, kind: kind),
            offset: recorded.offset, arrival: recorded.arrival)
        if case .split = kind, let hiding { seen.covered = [hiding.newestShown] }
        show(seen, into: &shown)
    }

    private mutating func show(_ event: ShownEvent, into shown: inout [ShownEvent]) {
        shown.append(event)
        // If nothing is hidden, the log's own snapshots have the shown values.
        guard hiding != nil else { return }
        (hasEndedView, isViewKept) = (false, false)
        if progress.startedAt == nil { progress.startedAt = event.event.deviceTime }
        progress.newest = event
        progress.newest?.covered = []
        switch event.event.kind {
        case .metrics: progress.metrics = event
        case .split(let split):
            progress.splits.append(split)
            if progress.splits.count > SessionFields.splitsMax { progress.splits.removeFirst() }
        default: break
        }
    }
}
