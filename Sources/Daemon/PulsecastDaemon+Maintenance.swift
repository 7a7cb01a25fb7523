import Logging
import SegmentLog
import SensorModel
import Sessions
import Synchronization

extension PulsecastDaemon {
    /// Once a minute: what time alone makes due.
    func maintain() async {
        feedWatchdog()
        saveCounts()
        await retain()
    }

    /// The watchdog is fed only while each stage moves or has nothing to do: else systemd restarts
    /// the daemon.
    func feedWatchdog() {
        guard notifier.watchdogSeconds != nil else { return }
        let beats = pipeline.beats()
        let stuck = heartbeats.withLock { $0.stuck(beats) }
        guard stuck.isEmpty else {
            return logger.log(
                .stageHangs, .error,
                "\(stuck.joined(separator: ", ")) hangs: the watchdog is not fed")
        }
        let counters = pipeline.counters
        let live = counters.flow.sessionsLive.load(ordering: .relaxed)
        let viewers = counters.viewers.load(ordering: .relaxed)
        notifier.send(.watchdog, .status("\(live) live session(s), \(viewers) viewer(s)"))
    }

    private func retain() async {
        let settings = settings.withLock { $0.log }
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
