import FaultyDisk
import SegmentLog
import Synchronization
import Testing

@testable import Cluster

/// What the other nodes get of changes to files that have other names meanwhile.
@Suite struct ReplicatedDiskTests {
    private struct Pair {
        let stream = SimulatedStream(seed: 1)
        let own = SimulatedDisk()
        let disk: ReplicatedDisk
        let replicator: Replicator

        init() {
            let stream = stream
            replicator = Replicator(
                SimulatedConnection(stream, node: "a"), node: "a", term: 0,
                clock: { stream.now }, ended: { _ in })
            disk = ReplicatedDisk(own, replicator)
        }

        /// The files of a node that has applied everything.
        func follower() throws -> SimulatedDisk {
            #expect(replicator.waitUntilKept())
            let log = SimulatedDisk()
            let state = SimulatedDisk()
            var replica = Replica(
                NodeFolders(state: state, log: log), PositionFile(state),
                at: NodePosition(role: .follower, stream: 1, sequence: 0, term: 0))
            for message in stream.history.withLock({ $0 }) {
                guard
                    case .changed(let changes, _) = try StreamEntry(decoding: message.bytes).content
                else { continue }
                try replica.apply(changes, upTo: message.sequence, term: 0)
            }
            return log
        }
    }

    private static func write(_ text: String, to file: any DiskFile, at place: Int = 0) throws {
        let bytes = Array(text.utf8)
        try file.writeAll(bytes.span, at: place)
    }

    @Test func `A change follows the file and not its name`() throws {
        let pair = Pair()
        let old = try pair.disk.open("a", .create)
        try Self.write("old", to: old)
        let new = try pair.disk.open("a.tmp", .create)
        try Self.write("new", to: new)
        try pair.disk.rename("a.tmp", to: "a")
        // One file has no name any more, the other has another.
        try Self.write("XXX", to: old)
        try Self.write("!", to: new, at: 3)
        let again = try pair.disk.open("a.tmp", .create)
        try Self.write("next", to: again)
        try pair.disk.remove("a.tmp")
        try Self.write("YYY", to: again)
        let follower = try pair.follower()
        #expect(follower.content(of: "a") == Array("new!".utf8))
        #expect(try follower.list() == ["a"])
    }

    @Test func `What a failed write has left reaches the others`() throws {
        let pair = Pair()
        let file = try pair.disk.open("a", .create)
        try Self.write("before", to: file)
        pair.own.fail(.init(kind: .inputOutput, call: pair.own.calls))
        #expect(throws: DiskError.self) { try Self.write("AFTER", to: file) }
        pair.own.fail(nil)
        let follower = try pair.follower()
        #expect(pair.own.content(of: "a") != Array("before".utf8))
        #expect(follower.content(of: "a") == pair.own.content(of: "a"))
    }

    @Test func `A copy sees the files of its beginning, under their names then`() throws {
        let pair = Pair()
        let first = try pair.disk.open("a", .create)
        try Self.write("first", to: first)
        try Self.write("b", to: try pair.disk.open("b", .create))
        let names = try pair.disk.beginCopy(1)
        #expect(names == ["a", "b"])
        try Self.write("second", to: try pair.disk.open("a.tmp", .create))
        try pair.disk.rename("a.tmp", to: "a")
        try pair.disk.rename("b", to: "c")
        try pair.disk.remove("c")
        let left = try pair.disk.list().sorted()
        #expect(left == ["a"])
        for (name, content) in [("a", "first"), ("b", "b")] {
            let file = try #require(try pair.disk.openPinned(name, 1))
            #expect(try file.readUp(to: 9, at: 0) == Array(content.utf8))
        }
        #expect(try pair.disk.openPinned("a", 2) == nil)
        try pair.disk.endCopy()
        #expect(try pair.own.list() == ["a"])
        #expect(try pair.follower().list() == ["a"])
    }

    @Test func `An erasure while a question is answered leaves the stream, too`() throws {
        let pair = Pair()
        for name in ["000000000001.segment", "000000000002.segment"] {
            try Self.write("records", to: try pair.disk.open(name, .create))
        }
        #expect(pair.replicator.waitUntilKept())
        let meanwhile = Meanwhile()
        let stream = SimulatedConnection(pair.stream, node: "a")
        let (clocked, disk) = (pair.stream, pair.disk)
        let service = LeaderService(
            pair.replicator, disk: pair.disk, folder: pair.own,
            copyRegistry: { _ in
                (try? Self.write("r", to: pair.own.open("copy-registry", .create))) != nil
            },
            hash: { bytes in
                meanwhile.run()
                return SimulatedNode.hash(bytes)
            }, keptMilliseconds: 3_600_000, clock: { clocked.now })
        func ask(_ question: NodeQuestion) throws -> NodeAnswer {
            try NodeAnswer(decoding: service.answer(question.encoded(term: 0)))
        }
        guard case .began(let copy, _) = try ask(.begin(node: "b")) else {
            throw SimulationError(text: "no copy")
        }
        meanwhile.action.withLock {
            $0 = {
                try? disk.remove("000000000002.segment")
                service.upkeep(stream)
            }
        }
        let hashes = try ask(.hashes(copy: copy, name: "000000000001.segment", from: 0))
        guard case .bytes = hashes else { throw SimulationError(text: "\(hashes)") }
        #expect(try ask(.end(copy: copy)) == .done)
        // Two messages later all that was before the removal may go.
        for _ in 0..<2 {
            pair.stream.pass(Replicator.beatMilliseconds)
            pair.replicator.step()
        }
        service.upkeep(stream)
        let left = pair.stream.state.withLock { $0.messages.map(\.sequence) }
        #expect(left.first ?? 0 > 1)
    }

    @Test func `A node that follows has nothing of an earlier leader beside the registry`() throws {
        let (log, state) = (SimulatedDisk(), SimulatedDisk())
        for name in ["registry.sqlite", "registry.sqlite-wal", "registry.sqlite-shm", "master.key"]
        {
            try Self.write("x", to: try state.open(name, .create))
        }
        for name in ["a", "copy-1-1", "copy-registry"] {
            try Self.write("x", to: try log.open(name, .create))
        }
        let folders = NodeFolders(state: state, log: log)
        try folders.removeLeftovers()
        #expect(try state.list().sorted() == ["master.key", "registry.sqlite"])
        #expect(try folders.names().sorted() == ["a", "registry.sqlite"])
        let left = try log.list()
        #expect(left == ["a"])
    }

    @Test func `Files that are each node's own are not sent`() throws {
        let pair = Pair()
        try Self.write("x", to: try pair.disk.open(SegmentFormat.reserveName, .create))
        try pair.disk.remove(SegmentFormat.reserveName)
        _ = try pair.disk.lock(SegmentFormat.lockName)
        #expect(try pair.follower().list().isEmpty)
    }
}

/// What happens while the leader answers a question.
private final class Meanwhile: Sendable {
    let action = Mutex<@Sendable () -> Void>({})

    func run() { action.withLock { $0 }() }
}
