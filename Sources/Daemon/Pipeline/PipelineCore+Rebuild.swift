import Ingest
import Processing
import Replay
import SensorModel
import Sharing

extension PipelineCore {
    /// A session is back from the log.
    func resume(_ session: SessionID, from rebuilt: SessionRebuild, fields: SessionFields) {
        guard let live = sessions[session], live.computation == nil,
            let computation = rebuilt.computation
        else { return }
        live.fields = fields
        table.remember(rebuilt.gaps, of: session)
        live.summaryEvents = rebuilt.summaryEvents
        if live.backlog.isEmpty {
            live.lastDeviceTime = rebuilt.lastDeviceTime ?? live.lastDeviceTime
        }
        recorder.resume(
            with: computation, missing: rebuilt.missing, of: live, arrival: now)
        live.hasEnded = live.hasEnded || live.computation?.pipeline.metrics.state == .ended
        board.refresh(session, of: live.device, at: now)
        watch(live)
    }

    /// The log cannot give a session back: its frames stay recorded, and what is computed of them
    /// begins with the next one.
    func giveUp(_ session: SessionID) {
        guard let live = sessions[session], live.computation == nil else { return }
        recorder.resume(
            with: SessionComputation(profile: accounts.profile(of: live.device)), missing: [],
            of: live, arrival: now)
        watch(live)
    }
}
