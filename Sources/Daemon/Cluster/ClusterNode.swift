import API
import Cluster
import Foundation
import Logging
import NATS
import Runtime
import Secrets
import SegmentLog
import SensorModel
import Synchronization

/// A node of a cluster while it stands by: keeps its files equal to the leader's, until it leads.
final class ClusterNode: Sendable {
    /// Time between two reports, ms.
    private static let reportMilliseconds = 1000

    let name: String
    let stream: AuthenticatedStream
    let state: StateFolder
    /// How long the stream keeps changes.
    let streamSeconds: Int
    private let mustLead: Bool
    private let isEnded = Atomic(false)
    private let current = Mutex<ClusterReport?>(nil)
    private let server = Mutex<WaitingServer?>(nil)
    /// When a copy last fed the watchdog, monotonic ms.
    private let fed = Mutex(0)

    /// - Throws: ``ClusterStartError``, or an error of a setting or file; it says what to do.
    init(
        _ configuration: Configuration, environment: [String: String], mustLead: Bool
    ) throws {
        let settings = configuration.cluster
        name = settings.node
        streamSeconds = settings.streamSeconds
        self.mustLead = mustLead
        state = StateFolder(configured: configuration.stateDirectory, environment: environment)
        try state.create()
        let nats = try NATSStream(
            try Self.nats(settings, environment: environment),
            clock: { Double(WallClock.monotonicMicroseconds()) / 1e6 })
        let file = MasterKeyFile(
            configured: configuration.masterKeyFile,
            credentialsDirectory: environment["CREDENTIALS_DIRECTORY"],
            stateDirectory: state.path)
        if !file.exists {
            // Its own key would be another than the others have.
            guard case .success(let found) = Self.found(nats), found.last == 0 else {
                throw ClusterStartError.noKey(path: state.masterKey)
            }
        }
        var generator = SystemRandomNumberGenerator()
        let signer = try file.load(using: &generator).clusterSigner
        stream = AuthenticatedStream(nats) { signer.signature(of: $0) }
    }

    private static func found(_ stream: NATSStream) -> Result<StreamState, ClusterStreamError> {
        Result { () throws(ClusterStreamError) in try stream.state() }
    }

    private static func nats(
        _ settings: Configuration.Cluster, environment: [String: String]
    ) throws -> NATSSettings {
        let password = try SecretFile.bytes(
            configured: settings.passwordFile, credential: "nats-password",
            environment: environment)
        return NATSSettings(
            urls: settings.urls, stream: settings.name, replicas: settings.replicas,
            bytesMax: Int64(settings.streamBytes),
            credentials: settings.user.isEmpty
                ? .none
                : .user(settings.user, password: String(decoding: password, as: UTF8.self)),
            authoritiesFile: settings.authoritiesFile.isEmpty ? nil : settings.authoritiesFile,
            clientName: "pulsecast-\(settings.node)")
    }

    /// `nil`: the node has not begun to stand by.
    var report: ClusterReport? { current.withLock { $0 } }

    /// Lets a server say what the node does.
    func tell(_ server: WaitingServer) { self.server.withLock { $0 = server } }

    /// Ends ``standBy()`` soon.
    func end() { isEnded.store(true, ordering: .releasing) }

    /// Stands by on the thread `standby` until the node leads.
    ///
    /// - Returns: The term; `nil`: ``end()`` was called.
    /// - Throws: ``ClusterError`` that no wait ends.
    func standBy() async throws -> UInt64? {
        let thread = Mutex<LogThread?>(nil)
        defer { thread.withLock { $0 }?.join() }
        return try await withCheckedThrowingContinuation { continuation in
            let started = LogThread { [self] in
                continuation.resume(
                    with: Result { () throws(ClusterError) in try standByHere() }
                        .mapError { $0 as any Error })
            }
            guard let started else {
                return continuation.resume(throwing: SegmentLogError.notWriting)
            }
            thread.withLock { $0 = started }
        }
    }

    private func standByHere() throws(ClusterError) -> UInt64? {
        let log = PosixDisk(path: state.log)
        let folders = NodeFolders(state: PosixDisk(path: state.path), log: log)
        var lock: (any DiskFile)?
        defer { withExtendedLifetime(lock) {} }
        var standby = begin(folders)
        var reported = 0
        while !isEnded.load(ordering: .acquiring) {
            do throws(ClusterError) {
                if lock == nil { lock = try Self.locked(log) }
                if case .claimed(let term) = try standby.step() { return term }
            } catch {
                // A disk may work again; everything else needs a person.
                guard case .disk(let failure) = error, failure.isOfDisk else { throw error }
                note(standby, trouble: "\(error)")
                Thread.sleep(forTimeInterval: 1)
                standby = begin(folders)
            }
            if Self.now() - reported >= Self.reportMilliseconds {
                reported = Self.now()
                note(standby, trouble: standby.trouble.map { "\($0)" } ?? "")
                standby.reportToLeader()
            }
        }
        try standby.stop()
        return nil
    }

    /// One process at a time may change the files.
    private static func locked(_ log: PosixDisk) throws(ClusterError) -> any DiskFile {
        do throws(DiskError) { return try log.lock(SegmentFormat.lockName) } catch {
            throw .disk(error)
        }
    }

    private func begin(_ folders: NodeFolders) -> Standby {
        Standby(
            node: name, stream: stream, folders: folders, mustLead: mustLead, clock: Self.now,
            draw: { .random(in: 0...(.max)) }, hash: ClusterSigner.digest,
            pause: { Thread.sleep(forTimeInterval: Double($0) / 1000) },
            mayGoOn: { [self] in
                feedWatchdog()
                return !isEnded.load(ordering: .acquiring)
            })
    }

    /// A copy of a large log takes minutes within one step.
    private func feedWatchdog() {
        let now = Self.now()
        let isDue = fed.withLock { fed in
            guard now - fed >= Self.reportMilliseconds else { return false }
            fed = now
            return true
        }
        if isDue { server.withLock { $0 }?.feedWatchdog() }
    }

    private func note(_ standby: Standby, trouble: String) {
        let report = standby.report
        let now = ClusterReport(
            node: name, leader: standby.leader?.node ?? "",
            state: report.phase == .following ? "following" : "copying",
            sequence: report.sequence, waitingBytes: 0,
            silentSeconds: Double(standby.silentMilliseconds) / 1000, trouble: trouble, nodes: [])
        current.withLock { $0 = now }
        let leader = now.leader.isEmpty ? "no node" : "node \(now.leader)"
        let state = trouble.isEmpty ? "\(leader) leads, this one is \(now.state)" : trouble
        server.withLock { $0 }?.set("standing by: \(state)", trouble.isEmpty ? .notice : .warning)
    }

    /// Monotonic time, ms.
    static func now() -> Int { Int(WallClock.monotonicMicroseconds() / 1000) }
}

/// Why a node of a cluster cannot start, or why its leader ended.
public enum ClusterStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cluster exists, and this node has no key.
    case noKey(path: String)
    /// A leader's term has ended: the process ends, and its supervisor starts it again to stand by.
    case ended(String)

    public var description: String {
        switch self {
        case .noKey(let path):
            "there is no \(path): copy the file from a node of the cluster, or see to it that "
                + "NATS can be reached if this is the first node"
        case .ended(let reason): "this node leads no longer and ends, to stand by: \(reason)"
        }
    }
}
