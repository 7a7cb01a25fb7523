import API
import Foundation
public import Logging
import Registry
public import Runtime
import Secrets
import SegmentLog
import SensorModel
import Sharing
import Synchronization
import Transport
import ViewerPages

/// The whole daemon: open, start, stop.
public final class PulsecastDaemon: Sendable {
    public let configuration: Configuration
    public let health: Health
    let state: StateFolder
    let accounts: Accounts
    let pipeline: Pipeline
    let administration: Administration
    let server: TransportServer
    /// Whether the sockets stay open when this process ends.
    private let areSocketsKept: Bool
    let identity: TLSIdentity?
    let environment: [String: String]
    let notifier: SystemdNotifier
    let address = PublicAddress()
    private let pages: PageCache
    let adminPage: AdminPageRoutes
    let alerts: AlertCenter
    let alertTeller: AlertTeller
    let deliveries: DeliveryCenter
    let deliverySender: DeliverySender
    /// `nil`: the daemon is in no cluster.
    let leadership: Leadership?
    private let mqtt: MQTTService?
    let logger: Logger
    /// State of each stage at the last watchdog check.
    let heartbeats = Mutex(Heartbeats())
    /// Whether results were compared with the log.
    let hasReconciledResults = Mutex(false)
    /// Devices that can begin only one session a day (``SessionQuota``), as reported last.
    let crowdedDevices = Mutex(Set<DeviceID>())
    let freedMemory = Mutex(FreedMemory())
    /// Settings with all reloads since the start.
    let settings: RunningSettings

    /// Opens the state folder, recovers the log and prepares the listeners; nothing listens yet.
    ///
    /// - Parameters:
    ///   - configuration: Checked configuration.
    ///   - environment: Environment with systemd's variables.
    ///   - newEpoch: Epoch of the log's history if the folder holds none; not 0. It is random, so
    ///     that no cursor of an earlier history is valid in this one.
    ///   - logger: Logger of the journal.
    /// - Throws: An error that says in a sentence what prevents the start.
    public convenience init(
        configuration: Configuration, environment: [String: String],
        newEpoch: UInt32 = .random(in: 1...(.max)), logger: Logger
    ) throws {
        try self.init(
            configuration: configuration, environment: environment, newEpoch: newEpoch,
            logger: logger, disk: { PosixDisk(path: $0) })
    }

    /// Opens a daemon that leads a cluster; `nil`: one that is in none.
    convenience init(
        configuration: Configuration, environment: [String: String], leadership: Leadership?,
        logger: Logger
    ) throws {
        try self.init(
            configuration: configuration, environment: environment,
            newEpoch: .random(in: 1...(.max)), leadership: leadership, logger: logger,
            disk: { leadership?.log ?? PosixDisk(path: $0) })
    }

    /// Opens a daemon with another disk below the log.
    ///
    /// - Parameters:
    ///   - configuration: Checked configuration.
    ///   - environment: Environment with systemd's variables.
    ///   - newEpoch: Epoch of the log's history if the folder holds none; not 0.
    ///   - leadership: What the other nodes of its cluster get of it; `nil`: there are none.
    ///   - logger: Logger of the journal.
    ///   - disk: Makes the disk of a folder from its path.
    /// - Throws: An error that says in a sentence what prevents the start.
    init(
        configuration: Configuration, environment: [String: String], newEpoch: UInt32,
        leadership: Leadership? = nil, logger: Logger, disk: (String) -> any Disk
    ) throws {
        (self.configuration, self.leadership) = (configuration, leadership)
        settings = RunningSettings(configuration)
        self.environment = environment
        self.logger = logger
        let processID = ProcessInfo.processInfo.processIdentifier
        notifier = SystemdNotifier(environment: environment, processID: processID)
        let state = StateFolder(configured: configuration.stateDirectory, environment: environment)
        self.state = state
        let troubles = Troubles(of: state, logger: logger)
        health = troubles.health
        accounts = try Self.openAccounts(
            configuration, state: state, environment: environment, troubles: troubles,
            observer: leadership?.registryObserver)
        let outlets = try SessionOutlets(
            configuration, environment: environment, accounts: accounts, logger: logger)
        (alerts, deliveries) = (outlets.alerts, outlets.deliveries)
        pipeline = try Pipeline(
            configuration: configuration, disk: disk(state.log),
            newEpoch: newEpoch, accounts: accounts,
            began: outlets.notifier.began, notice: outlets.notifier.take,
            stateChanged: { troubles.logChanged(to: $0) }, logger: logger)
        troubles.begin(telling: pipeline.loops)
        administration = Self.administration(
            of: accounts, pipeline, logger: logger, erasing: outlets.erase)
        identity = try Self.identity(configuration, environment: environment)
        pages = PageCache(configuration.http)
        let pushes = Self.pushes(administration, pipeline, configuration)
        mqtt = try Self.mqtt(
            configuration, environment: environment, pushes, accounts, pipeline, alerts,
            logger: logger)
        alertTeller = Self.alertTeller(
            administration, pipeline, configuration, address, mqtt?.alerts, logger: logger)
        deliverySender = DeliverySender(
            administration: administration, pipeline: pipeline, configuration: configuration)
        let listeners = Listeners(
            configuration: configuration, state: state, environment: environment,
            pipeline: pipeline, accounts: accounts, administration: administration,
            pushes: pushes, alerts: alerts, alertTeller: alertTeller,
            deliveries: deliveries, deliverySender: deliverySender, health: health,
            identity: identity, address: address, pages: pages, settings: settings,
            leadership: leadership, logger: logger)
        let descriptors = ListenDescriptors(environment: environment, processID: processID)
        adminPage = listeners.adminPage
        areSocketsKept = !descriptors.descriptors.isEmpty
        server = try listeners.server(descriptors: descriptors)
    }

    private static func pushes(
        _ administration: Administration, _ pipeline: Pipeline, _ configuration: Configuration
    ) -> PushService {
        PushService(
            pipeline: pipeline, administration: administration, configuration: configuration,
            clock: WallClock.now)
    }

    private static func alertTeller(
        _ administration: Administration, _ pipeline: Pipeline, _ configuration: Configuration,
        _ address: PublicAddress, _ broker: AlertPublisher?, logger: Logger
    ) -> AlertTeller {
        AlertTeller(
            administration: administration,
            shares: ShareRoutes(
                service: Listeners.viewers(pipeline, administration.accounts),
                pipeline: pipeline, accounts: administration.accounts, clock: WallClock.now),
            trustedHosts: configuration.alerts.trustedHosts, broker: broker,
            publicURL: { address.url },
            logger: logger)
    }

    private static func administration(
        of accounts: Accounts, _ pipeline: Pipeline, logger: Logger,
        erasing: @escaping @Sendable (Set<SessionID>) -> Void
    ) -> Administration {
        Administration(
            accounts: accounts, log: pipeline.log, mailbox: pipeline.mailbox,
            erasures: ErasureQueue {
                [log = pipeline.log, background = pipeline.background] sessions in
                await background.run { Self.erase(sessions, from: log, logger: logger) }
            }, reader: pipeline.reader,
            catalog: pipeline.catalog, results: pipeline.results, playbacks: pipeline.playbacks,
            clock: WallClock.now, logger: logger, erasing: erasing)
    }

    /// Starts the threads and opens the listeners. Work that the disk refuses now is left to
    /// ``recover()``.
    ///
    /// - Returns: Addresses of the listeners, by name.
    public func start() async throws -> [String: String] {
        report(pipeline.log.recovery)
        leadership?.begin(accounts.registry)
        try pipeline.start(accounts)
        if accounts.registry.trouble == nil { try reconcileWithLog() }
        await alerts.restore(alertTeller, pipeline)
        let addresses = try await server.start()
        if !server.displaced.isEmpty { noteDisplaced() }
        address.set(configuration: configuration, addresses: addresses)
        alerts.start(alertTeller, pipeline)
        deliveries.start(deliverySender)
        mqtt?.start()
        health.started()
        notifier.send(.ready, .status("listening"))
        pipeline.background.start { [pages] in _ = pages.catalog }
        beginUpkeep()
        for (name, address) in addresses.sorted(by: { $0.key < $1.key }) {
            logger.log(
                .listening, .notice, "listening", ["listener": "\(name)", "address": "\(address)"])
        }
        warnAboutOpenListeners(addresses)
        warnAboutOpenFiles()
        return addresses
    }

    /// Closes the listeners, records their pending frames, and asks all peers to reconnect.
    ///
    /// - Returns: Whether log and registry have everything.
    @discardableResult
    public func stop() async -> Bool {
        leadership?.hurry()
        health.stopping()
        notifier.send(.stopping, .status("draining"))
        await server.stopListening()
        // Connections that wait in a socket unit's queue are served soon after. Half a second is
        // enough for a close message; a peer that misses it resumes as well.
        await server.closeAll(
            areSocketsKept ? .restarting : .goingAway, withinSeconds: areSocketsKept ? 0.5 : 3)
        alerts.stop()
        deliveries.stop()
        mqtt?.stop()
        await pipeline.stop()
        await pipeline.loops.shutdown()
        saveCounts()
        let isComplete = leadership == nil || isRegistryFolded()
        logger.log(.stopped, .notice, "stopped")
        return isComplete && accounts.registry.trouble == nil
    }

    /// Makes the registry's file complete, as the other nodes have it.
    ///
    /// - Returns: Whether it is: a running backup can keep commits in the write-ahead log.
    private func isRegistryFolded() -> Bool {
        do throws(RegistryError) { return try accounts.registry.foldWriteAheadLog() } catch {
            logger.warning("the registry's write-ahead log stays: \(error)")
            return false
        }
    }

    /// Writes in-memory counts to disk: once a minute, and at the end.
    func saveCounts() {
        guard accounts.registry.trouble == nil else { return }
        let counts = accounts.withState { state in
            let ever = state.viewersEverChanged.map { ($0, state.viewers.watchedEver($0)) }
            state.viewersEverChanged = []
            return (ever: Dictionary(uniqueKeysWithValues: ever), seen: state.lastSeen)
        }
        do {
            try accounts.registry.setViewersEver(counts.ever)
            try accounts.registry.setLastSeen(counts.seen)
            try accounts.saveAudit()
        } catch {
            logger.warning("viewer counts cannot be kept: \(error)")
        }
    }

    private static func openAccounts(
        _ configuration: Configuration, state: StateFolder, environment: [String: String],
        troubles: Troubles, observer: (any RegistryObserver)?
    ) throws -> Accounts {
        let isFirst = !state.exists
        try state.create()
        let accounts = try readAccounts(
            configuration, state: state, environment: environment, troubles: troubles,
            observer: observer)
        do throws(StateFolderError) { try state.synchronizeNames() } catch {
            // Names that an earlier start made are on disk already.
            if isFirst { throw error }
        }
        return accounts
    }

    private static func readAccounts(
        _ configuration: Configuration, state: StateFolder, environment: [String: String],
        troubles: Troubles, observer: (any RegistryObserver)?
    ) throws -> Accounts {
        var generator = SystemRandomNumberGenerator()
        let key = try MasterKeyFile(
            configured: configuration.masterKeyFile,
            credentialsDirectory: environment["CREDENTIALS_DIRECTORY"],
            stateDirectory: state.path
        ).load(using: &generator)
        return try Accounts(
            registry: RegistryStore(
                folder: state.path, observer: observer,
                troubleChanged: { troubles.registryChanged(to: $0) }),
            masterKey: key,
            failuresPerMinuteMax: configuration.bounds.failuresPerMinuteMax,
            viewersPerShareMax: configuration.bounds.viewersPerShareMax,
            sharesPerDeviceMax: configuration.bounds.sharesPerDeviceMax,
            bodyBytesMax: configuration.bounds.bodyBytesMax)
    }

    static func identity(
        _ configuration: Configuration, environment: [String: String]
    ) throws -> TLSIdentity? {
        guard configuration.device.tls || configuration.httpListener.tls else { return nil }
        let files = certificateFiles(configuration, environment: environment)
        return try TLSIdentity(certificatePath: files.certificate, keyPath: files.key)
    }

    /// The configured files, or the credentials that systemd loaded.
    static func certificateFiles(
        _ configuration: Configuration, environment: [String: String]
    ) -> (certificate: String, key: String) {
        let credentials = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" } ?? ""
        func path(_ configured: String, _ name: String) -> String {
            configured.isEmpty ? credentials + name : configured
        }
        return (
            path(configuration.certificateFile, "tls-certificate"),
            path(configuration.privateKeyFile, "tls-key")
        )
    }

    private func report(_ recovery: RecoveryReport) {
        logger.log(
            .logRecovered, .notice, "log recovered",
            [
                "segments": "\(recovery.segments)", "records": "\(recovery.records)",
                "bytes": "\(recovery.bytes)",
            ])
        if let tail = recovery.tornTail {
            logger.log(
                .tornTailCut, .notice,
                """
                the end of the newest segment does not parse and was cut: a crash leaves that, and \
                bytes that rotted behind its last anchor look the same
                """,
                ["segment": "\(tail.segment)", "bytes": "\(tail.bytes)"])
        }
        for damage in recovery.damaged { report(damage) }
        for open in recovery.leftOpen {
            logger.warning(
                """
                a segment that the last run left open or half erased cannot be repaired yet, and \
                is read as far as it can be: \(SegmentLogError.disk(open.error))
                """, metadata: ["segment": "\(open.segment)"])
        }
    }

    func report(_ damage: LogDamage) { Self.report(damage, to: logger) }

    static func report(_ damage: LogDamage, to logger: Logger) {
        logger.log(
            .logDamaged, .error,
            "the log is damaged: \(damage.reason.rawValue); see pulsecast log verify",
            ["segment": "\(damage.segment)", "byte": "\(damage.byte)"])
    }
}
