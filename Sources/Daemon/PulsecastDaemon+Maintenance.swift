import Logging
import SegmentLog
import SensorModel
import Synchronization

extension PulsecastDaemon {
    /// Once a minute: what time alone makes due.
    func maintain() async {
        feedWatchdog()
        saveCounts()
        await retain()
    }

    /// The watchdog is fed only while the pipeline moves or sleeps: one that hangs is restarted.
    private func feedWatchdog() {
        guard notifier.watchdogSeconds != nil else { return }
        let counters = pipeline.counters
        let turns = counters.turns.load(ordering: .relaxed)
        let moved = lastTurns.exchange(turns, ordering: .relaxed) != turns
        guard moved || counters.isAsleep.load(ordering: .relaxed) else {
            return logger.error("the pipeline has not moved: the watchdog is not fed")
        }
        let live = counters.sessionsLive.load(ordering: .relaxed)
        let viewers = counters.viewers.load(ordering: .relaxed)
        notifier.send(.watchdog, .status("\(live) live session(s), \(viewers) viewer(s)"))
    }

    private func retain() async {
        let settings = configuration.log
        guard settings.retentionSeconds != nil || settings.retentionBytes != nil else { return }
        let before = settings.retentionSeconds.map { WallClock.now().advanced(bySeconds: -$0) }
        let log = pipeline.log
        let result = await pipeline.background.run {
            Result { () throws(SegmentLogError) -> Erasure in
                try log.retain(arrivalBefore: before, bytesMax: settings.retentionBytes)
            }
        }
        switch result {
        case .success(let erased) where erased.segments > 0:
            logger.notice(
                "old segments were deleted",
                metadata: ["segments": "\(erased.segments)", "bytes": "\(erased.bytes)"])
        case .success: break
        case .failure(let error): logger.error("old segments cannot be deleted: \(error)")
        }
    }
}
