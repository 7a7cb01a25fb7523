import Ingest
import Processing
package import Replay
package import SensorModel
package import Sharing

extension SessionFlow {
    /// A session is back from the log.
    ///
    /// - Parameters:
    ///   - session: Any; ignored unless it waits for just this.
    ///   - rebuilt: From the log.
    ///   - end: Where the reading stopped, as ``FlowOutlets/rebuild`` had it.
    ///   - fields: Of all events before `end`.
    package func resume(
        _ session: SessionID, from rebuilt: SessionRebuild, until end: RecordOffset,
        fields: SessionFields
    ) {
        guard let live = sessions[session], live.computation == nil, live.rebuiltUntil == end,
            let computation = rebuilt.computation
        else { return }
        guard rebuilt.end >= end else {
            // The disk failed meanwhile: what it lost comes again with the next segment.
            return outlets.rebuild(session, end)
        }
        live.fields = fields
        table.remember(rebuilt.gaps, of: session)
        live.summaryEvents = rebuilt.summaryEvents
        if live.backlog.isEmpty {
            live.lastDeviceTime = rebuilt.lastDeviceTime ?? live.lastDeviceTime
        }
        recorder.resume(
            with: computation, missing: rebuilt.missing, of: live, arrival: now)
        live.hasEnded =
            live.hasEnded || live.computation?.processors.pipeline.metrics.state == .ended
        board.refresh(session, of: live.device, at: now)
        watch(live)
    }

    /// The log cannot give a session back: its frames stay recorded, and what is computed of them
    /// begins with the next one.
    package func giveUp(_ session: SessionID) {
        guard let live = sessions[session], live.computation == nil else { return }
        recorder.resume(
            with: SessionComputation(profile: profile(of: live)), missing: [],
            of: live, arrival: now)
        if let course = outlets.course(live.device) {
            recorder.record(course: course, of: live, arrival: now)
        }
        watch(live)
    }
}
