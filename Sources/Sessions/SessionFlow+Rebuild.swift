import Ingest
import Processing
import SegmentLog
import SensorModel
package import Sharing

extension SessionFlow {
    /// Resumes a session that was read from the log.
    ///
    /// - Parameters:
    ///   - rebuilding: The request; ignored unless the session waits for exactly this one.
    ///   - rebuilt: The session as read from the log.
    ///   - views: Views of all events before the end in the request.
    package func resume(
        _ rebuilding: RebuildTicket, from rebuilt: SessionRebuild, views: SessionViews
    ) {
        guard let live = waiting(for: rebuilding) else { return }
        guard rebuilt.end >= rebuilding.end else {
            // The disk failed meanwhile: the lost records are written again with the next segment.
            return callbacks.rebuild(rebuilding)
        }
        live.views = views
        hub.sessionRead(live.id, of: live.device, isInView: live.views.isInView, at: now)
        table.remember(rebuilt.gaps, of: live.id)
        live.summaryEvents = rebuilt.summaryEvents
        if live.backlog.isEmpty {
            live.lastDeviceTime = rebuilt.lastDeviceTime ?? live.lastDeviceTime
        }
        resume(live, with: rebuilt.computation, missing: rebuilt.missing)
        // Not before the records that waited: time alone would decide what they have a say in.
        for dated in live.views.advance(to: decidable) {
            hub.publish(dated, of: live.device, at: now)
        }
        live.hasEnded =
            live.hasEnded || live.computation?.processors.pipeline.metrics.state == .ended
        hub.refresh(live.id, of: live.device, at: now)
        watch(live)
        live.noteSummary()
        boundMemory(besides: live)
        // If nothing of it may be shown, shares show the session before it.
        for shown in hub.sessionsWatched(of: live.device, at: now) {
            _ = known(shown, isRecorded: false)
        }
    }

    /// Handles a session that the log cannot return. Its frames stay recorded, and the computation
    /// restarts with the next frame.
    package func giveUp(_ rebuilding: RebuildTicket) {
        guard let live = waiting(for: rebuilding) else { return }
        resume(live, with: nil, missing: [])
        watch(live)
    }

    /// `computation`: `nil`: the log cannot give it, and it begins anew.
    private func resume(
        _ live: LiveSession, with computation: SessionComputation?, missing: [StreamEvent]
    ) {
        live.rebuilding = nil
        recorder.resume(
            with: computation ?? SessionComputation(profile: profile(of: live)),
            missing: missing, of: live, arrival: now)
        noteUnread(since: unreadSince)
        if computation == nil, let course = callbacks.course(live.device) {
            recorder.record(course: course, of: live, arrival: now)
        }
    }

    /// Requests the session from the log as of now.
    func rebuild(_ live: LiveSession) {
        rebuildings += 1
        let rebuilding = RebuildTicket(
            session: live.id, device: live.device, end: log.nextOffset, number: rebuildings,
            privacy: callbacks.privacy(live.device))
        live.rebuilding = rebuilding
        log.flush()
        callbacks.rebuild(rebuilding)
    }

    private func waiting(for rebuilding: RebuildTicket) -> LiveSession? {
        guard let live = sessions[rebuilding.session], live.rebuilding == rebuilding else {
            return nil
        }
        return live
    }
}
