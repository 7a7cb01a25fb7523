import Bytes
import Cluster
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization

/// One node: its disks, and what runs on them.
final class SimulatedNode: @unchecked Sendable {
    enum Phase {
        case down
        case standing(Standby)
        case leading(Leading)
    }

    /// What runs while a node leads.
    final class Leading {
        let replicator: Replicator
        let disk: ReplicatedDisk
        let service: LeaderService
        let log: SegmentLog
        let durableEnd: DurableEnd
        /// Appended and not known to be durable, by offset.
        var pending: [UInt64: SimulatedCluster.Written] = [:]

        init(
            _ replicator: Replicator, _ disk: ReplicatedDisk, _ service: LeaderService,
            _ log: SegmentLog, _ durableEnd: DurableEnd
        ) {
            self.replicator = replicator
            self.disk = disk
            self.service = service
            self.log = log
            self.durableEnd = durableEnd
        }
    }

    final class DurableEnd: Sendable {
        let value = Atomic<UInt64>(0)
    }

    static let registryPages = 5
    static let pageBytes = 200

    let name: String
    let stream: SimulatedStream
    let connection: AuthenticatedStream
    var log = SimulatedDisk()
    var state = SimulatedDisk()
    var phase = Phase.down
    /// A node that stands still makes no step.
    var pausedUntil = 0
    private let configuration: LogConfiguration
    private var random: SplitMix

    init(
        _ name: String, _ stream: SimulatedStream, _ configuration: LogConfiguration, seed: UInt64,
        meanwhile: @escaping @Sendable () -> Void
    ) {
        self.name = name
        self.stream = stream
        self.configuration = configuration
        random = SplitMix(state: seed)
        connection = AuthenticatedStream(
            SimulatedConnection(stream, node: name, meanwhile: meanwhile), sign: Self.hash)
    }

    var standby: Standby? { if case .standing(let standby) = phase { standby } else { nil } }
    var leading: Leading? { if case .leading(let leading) = phase { leading } else { nil } }

    func start(mustLead: Bool = false) {
        let stream = stream
        let draws = Draws(random.next())
        phase = .standing(
            Standby(
                node: name, stream: connection, folders: NodeFolders(state: state, log: log),
                mustLead: mustLead, clock: { stream.now },
                draw: { draws.next() }, hash: Self.hash, pause: { stream.pass($0) }))
    }

    /// Not cryptographic: nobody attacks a simulation.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var (first, second): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9E37_79B9_7F4A_7C15)
        for byte in bytes {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01b3
            second = (second &+ UInt64(byte)) &* 0xBF58_476D_1CE4_E5B9 ^ (second >> 29)
        }
        return [first, second, UInt64(bytes.count), first ^ second].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }

    /// One step of a node that stands by.
    func stand(_ standby: Standby, now: Timestamp) throws {
        do throws(ClusterError) {
            guard case .claimed(let term) = try standby.step() else { return }
            try lead(term, now: now)
        } catch {
            switch error {
            case .disk, .noCopy, .stream, .notUnderstood: start()
            case .hasOwnRecordings, .otherStream, .newerVersion, .sameName, .mixedFiles:
                throw SimulationError(text: "\(name): \(error)")
            }
        }
    }

    private func lead(_ term: UInt64, now: Timestamp) throws(ClusterError) {
        let (stream, log, state) = (stream, log, state)
        let replicator = Replicator(
            connection, node: name, term: term, clock: { stream.now }, ended: { _ in })
        let disk = ReplicatedDisk(log, replicator)
        let service = LeaderService(
            replicator, disk: disk, folder: log,
            copyRegistry: { name in
                log.replace(name, with: state.content(of: ClusterFiles.registry))
                return true
            }, hash: Self.hash, keptMilliseconds: 30_000, clock: { stream.now })
        let durableEnd = DurableEnd()
        do throws(SegmentLogError) {
            let opened = try SegmentLog.open(
                disk: disk, configuration: configuration, now: now,
                observer: LogObserver(durableAdvanced: {
                    durableEnd.value.store($0.rawValue, ordering: .relaxed)
                }))
            phase = .leading(Leading(replicator, disk, service, opened, durableEnd))
            do throws(ClusterStreamError) {
                try connection.answer(as: name) { service.answer($0) }
            } catch {}
        } catch {
            // The disk, or the end of the term: the daemon ends and starts again.
            start()
        }
    }

    /// Writes a version into all pages of the registry, as one commit.
    ///
    /// - Returns: Whether the cluster has it.
    func commit(version: UInt64, _ leading: Leading) -> Bool {
        let page = (0..<Self.pageBytes).map { UInt8(truncatingIfNeeded: version >> (8 * ($0 % 8))) }
        let name = ClusterFiles.registry
        let pages = (0..<Self.registryPages).map { ($0 * Self.pageBytes, page) }
        let isFirst = state.content(of: name).isEmpty
        state.replace(name, with: pages.flatMap(\.1))
        leading.replicator.add(
            (isFirst ? [.created(name)] : [])
                + pages.map { .wrote(name, position: $0.0, $0.1) }
                + [.resized(name, bytes: Self.registryPages * Self.pageBytes)])
        return leading.replicator.waitUntilKept()
    }

    /// The registry's version; `nil`: its pages have different ones.
    var registryVersion: UInt64? {
        let bytes = state.content(of: ClusterFiles.registry)
        guard !bytes.isEmpty else { return 0 }
        guard bytes.count == Self.registryPages * Self.pageBytes else { return nil }
        let versions = stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
        }
        return Set(versions).count == 1 ? versions.first : nil
    }

    /// Ends the process. A power loss also takes what was not synced.
    func kill(isPowerLoss: Bool, _ random: inout SplitMix) {
        connection.stopAnswering()
        phase = .down
        log = isPowerLoss ? log.crashed(&random) : log.killed()
        state = isPowerLoss ? state.crashed(&random) : state.killed()
    }

    /// Ends an orderly leader or standby.
    func stop() {
        connection.stopAnswering()
        switch phase {
        case .down: return
        case .standing(let standby): try? standby.stop()
        case .leading(let leading):
            leading.log.close()
            if case .resigned = leading.replicator.resign() {
                try? NodePosition.writeResigned(leading.replicator.status, to: state)
            }
        }
        phase = .down
        log = log.killed()
        state = state.killed()
    }
}

private final class Draws: Sendable {
    private let random: Mutex<SplitMix>

    init(_ seed: UInt64) { random = Mutex(SplitMix(state: seed)) }

    func next() -> UInt64 { random.withLock { $0.next() } }
}

struct SimulationError: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
