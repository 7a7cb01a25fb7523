import Dispatch
import Ingest
import Logging
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import Transport

/// All wiring of the daemon's inside, from left to right as the data flows.
///
///      device                                                                    viewer
///        │ bytes          Frame            Frame          StreamEvent              ▲
///        ▼                                                                         │
///     [doors] ──ring──▶ [session table] ─┬─▶ [processors] ─┬─▶ [share views] ──ring──▶ [feeds]
///                                        │                 │
///                                        └──▶ [log] ◀──────┘
///
/// The doors and the feeds live on event loops, the log writes on threads of its own, all between
/// is ``PipelineCore``, in one thread's hands at a time: ``PipelineTurns``.
struct Pipeline: Sendable {
    let log: SegmentLog
    let loops: LoopGroup
    let mailbox: PipelineMailbox
    let counters = PipelineCounters()
    /// From the log to viewers and owners.
    let reader: ShareReader
    let catalog: SessionCatalog
    let results: SessionResults
    let upkeep: ResultsUpkeep
    let playbacks: Playbacks
    /// For readers of other services' interfaces.
    let heartRates = HeartRateHub()
    /// Upkeep of the log, and what else waits for the disk and is nobody's wish.
    let background = BackgroundWork()
    private let rebuilds = ReadPool(waitingMax: 100_000, waitingPerReaderMax: 64)
    /// After which a session has ended.
    let silenceSeconds: Double
    private let thread: PipelineThread

    /// - Parameters:
    ///   - configuration: What the owner set.
    ///   - disk: The folder of the log.
    ///   - newEpoch: Of the log where the folder is empty: drawn anew, so that no cursor of an earlier
    ///     history passes for one of this.
    ///   - accounts: Who may send and watch.
    ///   - began: Told of every new session, with the device time of its first frame.
    ///   - notice: Told of every discrete event.
    ///   - stateChanged: Told when the log fails and when it writes again.
    ///   - logger: For the journal.
    /// - Throws: ``SegmentLogError`` when the log cannot be opened.
    init(
        configuration: Configuration, disk: any Disk, newEpoch: UInt32, accounts: Accounts,
        began: @escaping @Sendable (SessionID, DeviceID, Timestamp) -> Void,
        notice: @escaping @Sendable (StreamEvent, SessionID, DeviceID) -> Void,
        stateChanged: @escaping @Sendable (LogState) -> Void, logger: Logger
    ) throws(SegmentLogError) {
        let doorbell = Doorbell()
        let turns = PipelineTurns(doorbell: doorbell, clock: WallClock.now)
        log = try SegmentLog.open(
            disk: disk, configuration: LogConfiguration(configuration.log, newEpoch: newEpoch),
            now: WallClock.now(),
            observer: LogObserver(
                durableAdvanced: { _ in turns.becameDurable() },
                stateChanged: { state in
                    stateChanged(state)
                    // What waits in the rings may have room now.
                    doorbell.ring()
                },
                synced: { [counters] in
                    counters.syncSeconds.record(seconds: Double($0) / 1_000_000)
                }))
        loops = LoopGroup(
            loopCount: configuration.eventLoops,
            inboundBytes: configuration.ingest.ringBytes, published: { turns.framesCame() },
            arrivalClock: WallClock.now,
            delivered: { [counters] in counters.deliveryLag.record(seconds: $0) })
        mailbox = PipelineMailbox(doorbell: doorbell)
        let pool = ReadPool()
        let catalog = SessionCatalog(log: log)
        reader = ShareReader(
            log: log, catalog: catalog, pool: pool, mailbox: mailbox, clock: WallClock.now,
            logger: logger)
        let results = SessionResults(log: log, registry: accounts.registry, catalog: catalog)
        let upkeep = ResultsUpkeep(log: log, catalog: catalog, results: results, pool: pool)
        (self.catalog, self.results, self.upkeep) = (catalog, results, upkeep)
        playbacks = Playbacks(reader: reader, accounts: accounts)
        let rebuilder = SessionRebuilder(
            log: log, mailbox: mailbox, pool: rebuilds, logger: logger)
        var ingest = IngestSettings()
        ingest.holdMicroseconds = Int64(configuration.ingest.holdSeconds * 1_000_000)
        ingest.heldFramesMax = configuration.ingest.holdFramesMax
        ingest.sessionsPerDeviceMax = configuration.ingest.sessionsPerDeviceMax
        silenceSeconds = configuration.ingest.silenceSeconds
        thread = PipelineThread(
            PipelineParts(
                log: log, links: loops.links, mailbox: mailbox,
                counters: counters, accounts: accounts, ingest: ingest,
                silenceSeconds: configuration.ingest.silenceSeconds,
                isDurable: configuration.log.durability == .always, logger: logger,
                heartRates: heartRates, rebuild: { rebuilder.rebuild($0) }, began: began,
                memory: { change in
                    catalog.note(change)
                    upkeep.note(change)
                },
                notice: notice),
            turns: turns, clock: WallClock.now)
    }

    /// Starts the threads; frames flow from here on.
    ///
    /// - Parameter accounts: Whose shares the board begins with.
    /// - Throws: ``SegmentLogError`` when the system gives no threads.
    func start(_ accounts: Accounts) throws(SegmentLogError) {
        try log.start()
        reader.pool.start()
        rebuilds.start()
        upkeep.begin()
        let (sessions, lost) = (log.sessions(), log.lostEnd)
        thread.start { core in
            for share in accounts.shares { core.put(share) }
            core.board.restore(sessions, lost: lost, at: core.now)
        }
    }

    /// Records what is in the rings, and seals the log. Nothing comes in any more by then.
    func stop() async {
        upkeep.stop()
        reader.pool.stop()
        rebuilds.stop()
        await background.run { thread.stop() }
        await background.run { log.close() }
    }
}

extension LogConfiguration {
    init(_ settings: Configuration.Log, newEpoch: UInt32) {
        let durability: LogDurability =
            switch settings.durability {
            case .always: .always
            case .interval: .interval(milliseconds: settings.intervalMilliseconds)
            case .os: .os
            }
        self.init(
            durability: durability, segmentBytesMax: settings.segmentBytesMax,
            reserveBytes: settings.reserveBytes, newEpoch: newEpoch)
    }
}
