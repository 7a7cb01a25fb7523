import Ingest
import Processing
import SegmentLog
package import SensorModel
import Sharing

/// Sessions that are read from the log.
///
///     request ──▶ whole ──▶ missing events, backlog ──▶ live
///                             │ backlog given up
///                             └──▶ request ──▶ rest ──▶ …
extension SessionFlow {
    /// Events published in one step, which takes a millisecond or two.
    private static let eventsPerStep = ExpectedEvents.keptMax

    /// Resumes a session that was read from the log. Long computations continue in steps of
    /// ``advance(to:)``.
    ///
    /// - Parameters:
    ///   - rebuilding: The request; ignored unless the session waits for exactly this one.
    ///   - part: What was read.
    package func resume(_ rebuilding: RebuildTicket, with part: RebuildTicket.Part) {
        guard let live = waiting(for: rebuilding) else { return }
        switch part {
        case .whole(let rebuilt, let views):
            guard rebuilt.end >= rebuilding.end else {
                // The disk failed meanwhile: the lost records are written again with the next
                // segment.
                return callbacks.rebuild(rebuilding)
            }
            live.views = views
            live.isRead = true
            hub.sessionRead(live.id, of: live.device, isInView: live.views.isInView, at: now)
            table.remember(rebuilt.gaps, of: live.id)
            live.summaryEvents = rebuilt.summaryEvents
            if live.backlog.isEmpty, live.backlog.givenUpFrom == nil {
                live.lastDeviceTime = rebuilt.lastDeviceTime ?? live.lastDeviceTime
            }
            take(rebuilt, of: live)
        case .rest(let continuation, let events):
            live.lastDeviceTime = continuation.lastDeviceTime ?? live.lastDeviceTime
            restore(
                live,
                RestoringSession(
                    computation: computation(continuation.computation, of: live),
                    events: events[...],
                    unread: continuation.next < rebuilding.end ? continuation.next : nil,
                    recorded: continuation.recorded))
        }
    }

    /// Handles a session that the log cannot return. Its frames stay recorded, and the computation
    /// restarts with the next frame.
    package func giveUp(_ rebuilding: RebuildTicket) {
        guard let live = waiting(for: rebuilding) else { return }
        live.forgetGivenUp()
        live.isGivenUp = true
        restore(live, RestoringSession(computation: computation(nil, of: live), events: []))
    }

    private func take(_ rebuilt: SessionRebuild, of live: LiveSession) {
        live.noteOver(at: rebuilt.endedAt)
        guard rebuilt.isMissingComplete else {
            // More events are missing than are kept: they are computed again, part by part.
            let first = log.summary(of: live.id)?.firstOffset ?? rebuilt.end
            return rebuild(
                live, RebuildContinuation(nil, from: first, recorded: rebuilt.recordedCount))
        }
        restore(
            live,
            RestoringSession(
                computation: computation(rebuilt.computation, of: live),
                events: rebuilt.missing[...]))
    }

    /// The computation that was found, or a new one if the log cannot return it (`nil`).
    private func computation(
        _ found: SessionComputation?, of live: LiveSession
    ) -> LiveComputation {
        LiveComputation(found ?? SessionComputation(profile: profile(of: live)))
    }

    /// Requests the session from the log as of now. A continuation resumes where an earlier answer
    /// ended; `nil` starts at the beginning.
    func rebuild(_ live: LiveSession, _ continuation: RebuildContinuation? = nil) {
        rebuildings += 1
        live.startBacklog()
        let rebuilding = RebuildTicket(
            session: live.id, device: live.device, end: log.nextOffset, number: rebuildings,
            privacy: callbacks.privacy(live.device), continuation: continuation)
        live.rebuilding = rebuilding.number
        log.flush()
        callbacks.rebuild(rebuilding)
    }

    private func waiting(for rebuilding: RebuildTicket) -> LiveSession? {
        guard let live = sessions[rebuilding.session], live.rebuilding == rebuilding.number else {
            return nil
        }
        return live
    }

    // MARK: After the reading

    private func restore(_ live: LiveSession, _ restoring: RestoringSession) {
        live.rebuilding = nil
        live.restoring = restoring
        restorings.append(live.id)
        restoreSome()
    }

    /// Publishes missing events and applies backlogs, within the limit of one step.
    func restoreSome() {
        guard !restorings.isEmpty, log.hasRoom else { return }
        var left = Self.eventsPerStep
        let waiting = restorings
        restorings = []
        for session in waiting {
            guard let live = sessions[session], live.restoring != nil else { continue }
            if left <= 0 || !step(live, &left) { restorings.append(session) }
        }
    }

    /// Time at which ``restoreSome()`` continues; `nil` if no session waits.
    var nextRestoring: Timestamp? {
        guard !restorings.isEmpty else { return nil }
        return log.hasRoom ? now : now.advanced(byMicroseconds: Self.roomMicroseconds)
    }

    /// Time after which the log may have room again.
    static let roomMicroseconds: Int64 = 20_000

    /// - Returns: Whether the session is live, or waits for the log again.
    private func step(_ live: LiveSession, _ left: inout Int) -> Bool {
        guard var restoring = live.restoring.take() else { return true }
        while left > 0, let event = restoring.events.popFirst() {
            recorder.publish(event, of: live, arrival: now)
            left -= 1
        }
        while left > 0, restoring.events.isEmpty, restoring.unread == nil,
            let input = live.nextInput()
        {
            left -= 1 + recorder.apply(input, to: restoring.computation, of: live)
        }
        guard restoring.events.isEmpty, restoring.unread != nil || live.backlog.isEmpty else {
            live.restoring = restoring
            return false
        }
        if let next = restoring.unread ?? live.backlog.givenUpFrom {
            rebuild(
                live,
                RebuildContinuation(
                    restoring.computation.processors, from: next, recorded: restoring.recorded))
            return true
        }
        live.computation = restoring.computation
        live.noteProcessed()
        noteUnread(since: unreadSince)
        restored(live)
        return true
    }

    /// Notes that a device reconnected to a session, so that shares made before it was over show
    /// it. A recorded end stays. While the session is read from the log, its end is unknown.
    func noteContinuation(_ live: LiveSession) {
        guard live.hasReconnected || table.connection(of: live.id) != nil, live.computation != nil,
            !live.hasEnded, !live.isGivenUp
        else { return }
        recorder.noteContinuation(live)
    }

    private func restored(_ live: LiveSession) {
        live.hasEnded =
            live.hasEnded || live.computation?.processors.pipeline.metrics.state == .ended
        if live.hasEnded {
            // The end may be in the backlog, or among the records from which the view was read.
            hub.sessionEnded(
                live.id, of: live.device, at: live.lastArrival,
                through: log.summary(of: live.id)?.lastOffset ?? cursor.offset,
                isInView: live.views.hasEndedInView)
        } else {
            noteContinuation(live)
        }
        followCourse(live)
        // This comes after the backlog, whose records may change what time alone would decide.
        for dated in live.views.advance(to: decidable) {
            hub.publish(dated, of: live.device, at: now)
        }
        noteEndInView(of: live)
        hub.refresh(live.id, of: live.device, at: now)
        watch(live)
        live.noteSummary()
        hasRestored = true
        boundMemory(besides: live)
        // If nothing of it may be shown, shares show the previous session.
        showWatched(of: live.device, besides: live.id)
    }

    /// Shows the viewers of a device the sessions that its shares show now.
    package func showWatched(of device: DeviceID, besides shown: SessionID? = nil) {
        for session in hub.sessionsWatched(of: device, at: now) where session != shown {
            guard let live = known(session, isRecorded: false), live.isRead else { continue }
            hub.refresh(session, of: device, at: now)
        }
    }
}
