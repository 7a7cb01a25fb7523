import API
import Cluster
import Foundation
import Logging
import Registry
import Runtime
import Secrets
import SegmentLog
import SensorModel
import Synchronization

/// What a node of a cluster has while it leads: its changes go into the stream, and the other nodes
/// get its files.
final class Leadership: Sendable {
    /// Silence of the stream after which the node is not ready, ms.
    private static let silenceMilliseconds = 2000

    private let node: ClusterNode
    private let replicator: Replicator
    private let disk: ReplicatedDisk
    private let service = Mutex<LeaderService?>(nil)
    /// One element, when the term has ended or is to end.
    let endings: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation
    private let wasAsked = Atomic(false)
    /// Whether the other nodes get answers.
    private let isAnswering = Atomic(false)
    private let logger: Logger

    /// Begins to send.
    ///
    /// - Parameters:
    ///   - node: The node, which has claimed.
    ///   - term: Sequence of its claim.
    ///   - logger: Logger of the journal.
    /// - Throws: ``SegmentLogError/notWriting``: the system creates no thread.
    init(_ node: ClusterNode, term: UInt64, logger: Logger) throws {
        self.node = node
        self.logger = logger
        (endings, ending) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        replicator = Replicator(
            node.stream, node: node.name, term: term, clock: ClusterNode.now,
            ended: { [ending] _ in ending.yield() })
        disk = ReplicatedDisk(PosixDisk(path: node.state.log), replicator)
        guard replicator.start() else { throw SegmentLogError.notWriting }
        logger.log(
            .clusterLeads, .notice, "this node leads the cluster",
            ["node": "\(node.name)", "term": "\(term)"])
    }

    var log: any Disk { disk }
    var registryObserver: any RegistryObserver {
        RegistryReplication(replicator) { [self] in service.withLock { $0 }?.noteErasure() }
    }

    /// Answers the other nodes.
    func begin(_ registry: RegistryStore) {
        // What an earlier leader on this folder kept for a copy; else the next copy removes it.
        try? disk.endCopy()
        let folder = node.state.log
        let service = LeaderService(
            replicator, disk: disk, folder: PosixDisk(path: folder),
            copyRegistry: { name in
                do throws(RegistryError) { try registry.copyFile(to: folder + "/" + name) } catch {
                    return false
                }
                return true
            }, hash: ClusterSigner.digest, keptMilliseconds: 1000 * node.streamSeconds,
            clock: ClusterNode.now)
        self.service.withLock { $0 = service }
        answer()
    }

    /// Answers from now on, if the stream can be reached.
    private func answer() {
        guard let service = service.withLock({ $0 }) else { return }
        do throws(ClusterStreamError) {
            try node.stream.answer(as: node.name) { service.answer($0) }
            isAnswering.store(true, ordering: .releasing)
        } catch {
            logger.warning("the other nodes get no answers yet: \(error)")
        }
    }

    /// Why the node is not ready; `nil`: the stream answers.
    var trouble: String? {
        let status = replicator.status
        guard status.silentMilliseconds > Self.silenceMilliseconds else { return nil }
        return "nothing is acknowledged, \(status.trouble ?? "the stream does not answer"): "
            + "see to the servers of NATS"
    }

    /// Work that is due now and then: each half second.
    func upkeep() {
        replicator.endIfIsolated()
        if !isAnswering.load(ordering: .acquiring) { answer() }
        service.withLock { $0 }?.upkeep(node.stream)
    }

    /// Why the term has ended; `nil`: it goes on.
    var ended: ClusterStartError? {
        switch replicator.ending {
        case nil, .resigned: nil
        case .outranked: .ended("another node leads")
        case .isolated(let reason): .ended(reason)
        }
    }

    /// Waits for the stream only for a moment from now on: the process is to end.
    func hurry() { replicator.hurry() }

    /// Whether another node could lead now: it follows, and has said so in the last seconds.
    var hasFollower: Bool {
        report.nodes.contains { $0.state == "following" && $0.reportedSeconds < 5 }
    }

    /// Lets another node lead because of this node's disk.
    func giveWay(because trouble: String) {
        logger.error("this node gives way to another of the cluster: \(trouble)")
        stepDown()
    }

    /// Asks the node to end, so that another leads.
    func stepDown() {
        wasAsked.store(true, ordering: .releasing)
        ending.yield()
    }

    /// Ends the term, after everything is written.
    ///
    /// - Parameter isComplete: Whether log and registry were closed as they should be.
    /// - Throws: ``ClusterStartError/ended(_:)`` if another node leads already, or the stream is
    ///   silent.
    func end(isComplete: Bool) throws {
        node.stream.stopAnswering()
        _ = replicator.resign()
        if let ended { throw ended }
        // Else the files are compared with the next leader's.
        if isComplete, disk.isSound {
            try PosixDisk(path: node.state.log).synchronizeNames()
            try NodePosition.writeResigned(
                replicator.status, to: PosixDisk(path: node.state.path))
        }
        if wasAsked.load(ordering: .acquiring) { throw ClusterStartError.ended("it was asked to") }
    }

    var report: ClusterReport {
        let status = replicator.status
        let now = ClusterNode.now()
        let nodes = service.withLock { $0 }?.nodes ?? []
        return ClusterReport(
            node: node.name, leader: node.name, state: "leading",
            sequence: status.sequence, waitingBytes: status.waitingBytes,
            silentSeconds: Double(status.silentMilliseconds) / 1000,
            trouble: status.trouble ?? "",
            nodes: nodes.map { reported in
                ClusterReport.Node(
                    node: reported.report.node,
                    state: reported.report.phase == .following ? "following" : "copying",
                    behind: Int(max(status.sequence, reported.report.sequence))
                        - Int(reported.report.sequence),
                    reportedSeconds: Double(now - reported.time) / 1000)
            })
    }
}

/// Sends the registry's commits into the stream.
private struct RegistryReplication: RegistryObserver {
    private static let silenceMilliseconds = 2000

    private let replicator: Replicator

    private let noteErasure: @Sendable () -> Void

    init(_ replicator: Replicator, noteErasure: @escaping @Sendable () -> Void) {
        self.replicator = replicator
        self.noteErasure = noteErasure
    }

    func erased() { noteErasure() }

    func requireReady() throws(RegistryError) {
        guard replicator.ending == nil,
            replicator.status.silentMilliseconds < Self.silenceMilliseconds
        else { throw .notReplicated("the cluster's stream does not answer") }
    }

    func committed(_ pages: RegistryPages) throws(RegistryError) {
        let name = ClusterFiles.registry
        replicator.add(
            pages.pages.flatMap { FileChange.writes($0.bytes, to: name, at: $0.position) }
                + [.resized(name, bytes: pages.fileBytes)])
        // Handshakes with proofs wait for it on an event loop.
        guard replicator.waitUntilKept(within: Self.silenceMilliseconds) else {
            throw .notReplicated("the other nodes of the cluster do not have the change yet")
        }
    }
}
