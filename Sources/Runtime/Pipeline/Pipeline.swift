import Dispatch
package import Ingest
package import Logging
import Ring
package import SegmentLog
package import SensorModel
import Sessions
package import Transport

/// Connects all stages of the daemon, from left to right as the data flows.
///
///      device                                                                    viewer
///        │ bytes          Frame            Frame          StreamEvent              ▲
///        ▼                                                                         │
///     [listeners] ──ring──▶ [session table] ─┬─▶ [processors] ─┬─▶ [share views] ──ring──▶ [feeds]
///                                        │                 │
///                                        └──▶ [log] ◀──────┘
///
/// Listeners and feeds run on event loops, and the log writes on its own threads. Everything
/// between is ``PipelineCore``, which one thread at a time uses: ``PipelineTurns``.
package struct Pipeline: Sendable {
    package let log: SegmentLog
    package let loops: LoopGroup
    package let mailbox: PipelineMailbox
    package let counters = PipelineCounters()
    /// Reads the log for viewers and owners.
    package let reader: ShareReader
    package let catalog: SessionCatalog
    package let results: SessionResults
    package let upkeep: ResultsUpkeep
    package let playbacks: Playbacks
    /// Serves readers of other services' interfaces.
    package let heartRates = HeartRateHub(clock: WallClock.now)
    package let exports = ExportBudget()
    /// Runs upkeep of the log, and other disk work that no request waits for.
    package let background = BackgroundWork()
    /// Parses long request bodies: 1 MiB takes tens of milliseconds.
    package let bodies = ReadPool(waitingMax: Pipeline.bodiesMax, waitingPerReaderMax: 4)
    /// Long bodies that may wait to be parsed.
    private static let bodiesMax = 12
    private let rebuilds = ReadPool(waitingMax: 20_000, waitingPerReaderMax: 64)
    /// Seconds without frames after which a session has ended.
    package let silenceSeconds: Double
    /// Limit on recorded sessions.
    package let quota: SessionQuota
    /// Capacity of each loop's ring of frames.
    package let ringBytes: Int
    private let thread: PipelineThread

    /// - Parameters:
    ///   - configuration: Settings of the owner.
    ///   - disk: Folder of the log.
    ///   - newEpoch: Epoch of the log if the folder is empty. It is random, so that no cursor of an
    ///     earlier history is valid in this one.
    ///   - accounts: Devices and shares.
    ///   - began: Called for every new session, with the device time of its first frame.
    ///   - notice: Called for every discrete event.
    ///   - stateChanged: Called when the log fails and when it writes again.
    ///   - logger: Logger of the journal.
    /// - Throws: ``SegmentLogError`` when the log cannot be opened.
    package init(
        configuration: Configuration, disk: any Disk, newEpoch: UInt32, accounts: Accounts,
        began: @escaping @Sendable (SessionID, DeviceID, Timestamp) -> Void,
        notice: @escaping @Sendable (StreamEvent, SessionID, DeviceID) -> Void,
        stateChanged: @escaping @Sendable (LogState) -> Void, logger: Logger
    ) throws(SegmentLogError) {
        let eventCount = EventCount()
        let turns = PipelineTurns(eventCount: eventCount, clock: WallClock.now)
        log = try SegmentLog.open(
            disk: disk, configuration: LogConfiguration(configuration, newEpoch: newEpoch),
            now: WallClock.now(),
            observer: Self.observer(turns, eventCount, counters, stateChanged))
        loops = LoopGroup(
            loopCount: configuration.eventLoops,
            inboundBytes: configuration.ingest.ringBytes,
            subscriberBytesMax: configuration.subscriberBytesMax,
            published: { turns.framesCame() },
            arrivalClock: WallClock.now,
            delivered: { [counters] in counters.deliveryLag.record(seconds: $0) })
        mailbox = PipelineMailbox(eventCount: eventCount, openHere: { turns.viewerCame() })
        let pool = ReadPool()
        let catalog = SessionCatalog(log: log)
        reader = ShareReader(
            log: log, catalog: catalog, pool: pool, mailbox: mailbox, clock: WallClock.now,
            silenceSeconds: configuration.ingest.silenceSeconds, logger: logger)
        let results = SessionResults(log: log, registry: accounts.registry, catalog: catalog)
        let upkeep = Self.upkeep(results, reader, accounts)
        (self.catalog, self.results, self.upkeep) = (catalog, results, upkeep)
        playbacks = Playbacks(reader: reader, accounts: accounts)
        let rebuilder = SessionRebuilder(
            log: log, mailbox: mailbox, pool: rebuilds, logger: logger)
        silenceSeconds = configuration.ingest.silenceSeconds
        quota = SessionQuota(sessionsMax: configuration.ingest.sessionsRecordedMax)
        ringBytes = loops.part.inboundBytes
        thread = PipelineThread(
            PipelineParts(
                log: log, links: loops.links, mailbox: mailbox,
                counters: counters, accounts: accounts,
                ingest: IngestSettings(configuration),
                silenceSeconds: configuration.ingest.silenceSeconds,
                isDurable: configuration.log.durability == .always, logger: logger,
                heartRates: heartRates, rebuild: { rebuilder.rebuild($0) },
                stopRebuilding: { rebuilder.stop($0) }, began: began,
                recorded: { catalog.recorded(of: $0) },
                memory: { change in
                    catalog.note(change)
                    upkeep.note(change)
                }, notice: notice),
            turns: turns, clock: WallClock.now)
    }

    private static func upkeep(
        _ results: SessionResults, _ reader: ShareReader, _ accounts: Accounts
    ) -> ResultsUpkeep {
        ResultsUpkeep(
            log: reader.log, catalog: reader.catalog, results: results, pool: reader.pool
        ) { summary, ticket in
            let rule = accounts.rule(of: summary.device, at: WallClock.now())
            reader.prepare(summary, by: rule, ticket)
        } completed: { devices, isNews in
            let now = WallClock.now()
            for device in devices where isNews || !accounts.hasRecentRuns(of: device) {
                accounts.noteRecentRuns(results.recentRuns(of: device, at: now), of: device)
            }
        }
    }

    private static func observer(
        _ turns: PipelineTurns, _ eventCount: EventCount, _ counters: PipelineCounters,
        _ stateChanged: @escaping @Sendable (LogState) -> Void
    ) -> LogObserver {
        LogObserver(
            durableAdvanced: { _ in turns.becameDurable() },
            stateChanged: { state in
                stateChanged(state)
                // Records that wait in the rings may have room now.
                eventCount.ring()
            },
            synced: { counters.syncSeconds.record(seconds: Double($0) / 1_000_000) })
    }

    /// Starts the threads; frames flow from here on.
    ///
    /// - Parameter accounts: Accounts whose shares the hub begins with.
    /// - Throws: ``SegmentLogError`` when the system provides no threads.
    package func start(_ accounts: Accounts) throws(SegmentLogError) {
        try log.start()
        reader.pool.start()
        rebuilds.start()
        bodies.start()
        let (sessions, lost) = (log.sessions(), log.lostEnd)
        thread.start { core in
            for share in accounts.shares { core.put(share) }
            core.hub.restore(sessions, lost: lost, at: core.now)
        }
    }

    /// Records the contents of the rings and seals the log. All listeners must be closed by then.
    package func stop() async {
        upkeep.stop()
        reader.pool.stop()
        rebuilds.stop()
        bodies.stop()
        await background.run { thread.stop() }
        await background.run { log.close() }
    }
}
