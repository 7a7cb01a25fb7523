import Ingest
import Processing
package import Replay
import SegmentLog
import SensorModel
package import Sharing

extension SessionFlow {
    /// A session is back from the log.
    ///
    /// - Parameters:
    ///   - rebuilding: What was asked; ignored unless the session waits for just this.
    ///   - rebuilt: From the log.
    ///   - views: Of all events before the end that was asked for.
    package func resume(
        _ rebuilding: SessionRebuilding, from rebuilt: SessionRebuild, views: SessionViews
    ) {
        guard let live = waiting(for: rebuilding), let computation = rebuilt.computation else {
            return
        }
        guard rebuilt.end >= rebuilding.end else {
            // The disk failed meanwhile: what it lost comes again with the next segment.
            return outlets.rebuild(rebuilding)
        }
        live.views = views
        _ = live.views.advance(to: now)
        board.sessionRead(live.id, of: live.device, isInView: live.views.isInView, at: now)
        table.remember(rebuilt.gaps, of: live.id)
        live.summaryEvents = rebuilt.summaryEvents
        if live.backlog.isEmpty {
            live.lastDeviceTime = rebuilt.lastDeviceTime ?? live.lastDeviceTime
        }
        live.rebuilding = nil
        recorder.resume(
            with: computation, missing: rebuilt.missing, of: live, arrival: now)
        live.hasEnded =
            live.hasEnded || live.computation?.processors.pipeline.metrics.state == .ended
        board.refresh(live.id, of: live.device, at: now)
        watch(live)
        boundHiding()
        // Where nothing of it may be shown, what was shown before it is.
        for shown in board.sessionsWatched(of: live.device, at: now) {
            _ = known(shown, isRecorded: false)
        }
    }

    /// The log cannot give a session back: its frames stay recorded, and what is computed of them
    /// begins with the next one.
    package func giveUp(_ rebuilding: SessionRebuilding) {
        guard let live = waiting(for: rebuilding) else { return }
        live.rebuilding = nil
        recorder.resume(
            with: SessionComputation(profile: profile(of: live)), missing: [],
            of: live, arrival: now)
        if let course = outlets.course(live.device) {
            recorder.record(course: course, of: live, arrival: now)
        }
        watch(live)
    }

    /// Asks the log for a session as of now.
    func rebuild(_ live: LiveSession) {
        rebuildings += 1
        let rebuilding = SessionRebuilding(
            session: live.id, device: live.device, end: log.nextOffset, number: rebuildings,
            privacy: outlets.privacy(live.device))
        live.rebuilding = rebuilding
        log.flush()
        outlets.rebuild(rebuilding)
    }

    private func waiting(for rebuilding: SessionRebuilding) -> LiveSession? {
        guard let live = sessions[rebuilding.session], live.rebuilding == rebuilding else {
            return nil
        }
        return live
    }
}
