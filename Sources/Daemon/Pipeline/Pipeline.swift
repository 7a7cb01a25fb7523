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
    let history: HistoryReader
    let recordings: RecordingPlayers
    let background = BackgroundWork()
    /// After which a session has ended.
    let silenceSeconds: Double
    private let thread: PipelineThread

    /// - Parameters:
    ///   - configuration: What the owner set.
    ///   - disk: The folder of the log.
    ///   - accounts: Who may send and watch.
    ///   - began: Told of every new session, with the device time of its first frame.
    ///   - notice: Told of every discrete event.
    ///   - stateChanged: Told when the log fails and when it writes again.
    ///   - logger: For the journal.
    /// - Throws: ``SegmentLogError`` when the log cannot be opened.
    init(
        configuration: Configuration, disk: any Disk, accounts: Accounts,
        began: @escaping @Sendable (SessionID, DeviceID, Timestamp) -> Void,
        notice: @escaping @Sendable (StreamEvent, SessionID, DeviceID) -> Void,
        stateChanged: @escaping @Sendable (LogState) -> Void, logger: Logger
    ) throws(SegmentLogError) {
        let doorbell = Doorbell()
        let turns = PipelineTurns(doorbell: doorbell, clock: WallClock.now)
        log = try SegmentLog.open(
            disk: disk, configuration: LogConfiguration(configuration.log),
            now: WallClock.now(),
            observer: LogObserver(
                durableAdvanced: { _ in turns.becameDurable() }, stateChanged: stateChanged,
                synced: { [counters] in
                    counters.syncSeconds.record(seconds: Double($0) / 1_000_000)
                }))
        loops = LoopGroup(
            loopCount: configuration.eventLoops,
            inboundBytes: configuration.ingest.ringBytes, published: { turns.framesCame() },
            arrivalClock: WallClock.now,
            delivered: { [counters] in counters.deliveryLag.record(seconds: $0) })
        mailbox = PipelineMailbox(doorbell: doorbell)
        history = HistoryReader(log: log, logger: logger)
        recordings = RecordingPlayers(
            log: log, accounts: accounts, mailbox: mailbox, background: background,
            clock: WallClock.now, logger: logger)
        let rebuilder = SessionRebuilder(
            log: log, accounts: accounts, mailbox: mailbox, background: background,
            logger: logger)
        var ingest = IngestSettings()
        ingest.holdMicroseconds = Int64(configuration.ingest.holdSeconds * 1_000_000)
        ingest.heldFramesMax = configuration.ingest.holdFramesMax
        silenceSeconds = configuration.ingest.silenceSeconds
        thread = PipelineThread(
            PipelineParts(
                log: log, links: loops.links, mailbox: mailbox,
                counters: counters, accounts: accounts, ingest: ingest,
                silenceSeconds: configuration.ingest.silenceSeconds,
                isDurable: configuration.log.durability == .always, logger: logger,
                rebuild: { rebuilder.rebuild($0, until: $1) }, began: began, notice: notice),
            turns: turns, clock: WallClock.now)
    }

    /// Starts the threads; frames flow from here on.
    ///
    /// - Parameter accounts: Whose shares the board begins with.
    /// - Throws: ``SegmentLogError`` when the system gives no threads.
    func start(_ accounts: Accounts) throws(SegmentLogError) {
        try log.start()
        let (sessions, lost) = (log.sessions(), log.lostEnd)
        thread.start { core in
            for share in accounts.shares { core.put(share) }
            core.board.restore(sessions, lost: lost, at: core.now)
        }
    }

    /// Waits while sessions of before a restart are read back, and no longer than two seconds.
    func waitUntilLoaded(_ shares: [Share]) async {
        for _ in 0..<100 {
            let isLoading = await mailbox.ask { core in
                shares.reduce(false) { core.isLoading($1) || $0 }
            }
            guard isLoading ?? false else { return }
            // Cancelled with its request: then nobody waits for the answer.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Records what is in the rings, and seals the log. Nothing comes in any more by then.
    func stop() async {
        await background.run { thread.stop() }
        await background.run { log.close() }
    }
}

extension LogConfiguration {
    init(_ settings: Configuration.Log) {
        let durability: LogDurability =
            switch settings.durability {
            case .always: .always
            case .interval: .interval(milliseconds: settings.intervalMilliseconds)
            case .os: .os
            }
        self.init(
            durability: durability, segmentBytesMax: settings.segmentBytesMax,
            reserveBytes: settings.reserveBytes)
    }
}
