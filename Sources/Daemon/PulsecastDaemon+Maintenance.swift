import Ingest
import Logging
import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Synchronization
import Transport

extension PulsecastDaemon {
    /// Work that becomes due by time alone; runs once a minute.
    func maintain() async {
        saveCounts()
        reportCrowdedDevices()
        // Retention comes first, because it makes room for the copy of a segment that a repair
        // needs.
        await retain()
        await repair()
        await upkeepResults()
        await saveCatalog()
        await returnMemory()
    }

    /// Gives back what a crowd has left, once it is gone.
    private func returnMemory() async {
        guard let bytes = FreedMemory.ownBytes() else { return }
        let connections = pipeline.loops.counters.connectionsOpen.load(ordering: .relaxed)
        guard freedMemory.withLock({ $0.isDue(bytes, connections: connections) }) else { return }
        await pipeline.background.run { FreedMemory.giveBack() }
        guard let left = FreedMemory.ownBytes() else { return }
        freedMemory.withLock { $0.returned(leaving: left) }
        logger.debug(
            "free memory went back to the system",
            metadata: ["bytes": "\(max(0, bytes - left))", "left": "\(left)"])
    }

    /// Feeds the watchdog only while each stage progresses or is idle; otherwise systemd restarts
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

    /// Warns once per device that can begin only one session a day.
    private func reportCrowdedDevices() {
        let counts = pipeline.catalog.counts
        let quota = pipeline.quota
        let all = counts.values.reduce(0, +)
        let crowded = counts.filter { !quota.hasRoom(.init(own: $0.value, all: all)) }
        let before = crowdedDevices.withLock { known in
            defer { known = Set(crowded.keys) }
            return known
        }
        for (device, count) in crowded where !before.contains(device) {
            let name = accounts.device(device)?.name ?? "\(device.rawValue)"
            logger.warning(
                """
                device \(name) has \(count) of \(all) recorded sessions and can begin one a day: \
                delete some with `pulsecast session delete`, or raise limits.sessions_recorded \
                (\(quota.sessionsMax)) and MemoryMax of the service
                """)
        }
    }

    func repair() async {
        let log = pipeline.log
        guard log.usage.unrepaired > 0 else { return }
        let repair = await pipeline.background.run { log.repair() }
        for damage in repair.damaged { report(damage) }
        if repair.segments > 0 {
            logger.notice(
                "segments that a failed disk left open or half erased are whole again",
                metadata: ["segments": "\(repair.segments)"])
        }
        if let error = repair.error {
            logger.warning(
                """
                segments that a failed disk left open or half erased cannot be repaired yet: \
                \(SegmentLogError.disk(error))
                """, metadata: ["segments": "\(repair.left)"])
        }
    }

    /// Erases sessions, and reports damage that the preceding repair found.
    ///
    /// - Returns: Bytes erased.
    static func erase(
        _ sessions: Set<SessionID>, from log: SegmentLog, logger: Logger
    ) -> Result<Int, SegmentLogError> {
        Result { () throws(SegmentLogError) in
            let erasure = try log.erase(sessions)
            for damage in erasure.damaged { report(damage, to: logger) }
            return erasure.bytes
        }
    }

    private func saveCatalog() async {
        let log = pipeline.log
        let result = await pipeline.background.run {
            Result { () throws(SegmentLogError) in try log.saveCatalog() }
        }
        if case .failure(let error) = result {
            logger.warning("the log's catalog cannot be written; a start may take longer: \(error)")
        }
    }

    func retain() async {
        let settings = settings.withLock { $0.log }
        let (wall, monotonic) = (WallClock.now(), WallClock.monotonicMicroseconds())
        let log = pipeline.log
        // The time is followed without a limit by age, too, because one may be set later.
        let time = await pipeline.background.run {
            log.retentionTime(wall: wall, monotonic: monotonic)
        }
        if time.hasChanged, settings.retentionSeconds != nil { report(time) }
        guard settings.retentionSeconds != nil || settings.retentionBytes != nil else { return }
        let before = settings.retentionSeconds.map { time.time.advanced(bySeconds: -$0) }
        let result = await pipeline.background.run { [pipeline, logger] in
            pipeline.retain(arrivalBefore: before, bytesMax: settings.retentionBytes) {
                logger.error("results of deleted sessions stay in the registry: \($0)")
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

    /// Deletes results that wait for the registry, and compares the others with the log if that was
    /// not done yet.
    private func upkeepResults() async {
        await pipeline.background.run { [self] in
            guard accounts.registry.trouble == nil else { return }
            do throws(RegistryError) { try pipeline.results.deleteWaiting() } catch {
                logger.warning("results of deleted sessions stay in the registry: \(error)")
            }
            reconcileResults()
        }
    }

    private func report(_ time: RetentionTime) {
        guard time.secondsAhead > 0 else {
            return logger.notice("retention by age goes by the clock again")
        }
        logger.warning(
            """
            the clock is ahead of the time that passed: retention by age follows it slowly; \
            look at timedatectl
            """, metadata: ["days": "\(Int(min(time.secondsAhead / 86_400, 1e9)))"])
    }
}
