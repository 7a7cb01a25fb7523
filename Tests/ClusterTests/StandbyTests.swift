import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Cluster

/// What a node does with files and a stream that do not fit each other.
@Suite struct StandbyTests {
    /// Goes on while the other node asks it.
    private final class Leader: Sendable {
        let node = Mutex<SimulatedNode?>(nil)
    }

    private final class Pair {
        let stream = SimulatedStream(seed: 1)
        let first: SimulatedNode
        let second: SimulatedNode

        init(names: (String, String) = ("a", "b")) {
            let leader = Leader()
            let configuration = LogConfiguration(segmentBytesMax: 8192, reserveBytes: 0)
            first = SimulatedNode(names.0, stream, configuration, seed: 1, meanwhile: {})
            second = SimulatedNode(
                names.1, stream, configuration, seed: 2,
                meanwhile: { leader.node.withLock { $0 }?.leading?.replicator.step() })
            leader.node.withLock { [first] in $0 = first }
        }

        func end() {
            var random = SplitMix(state: 1)
            for node in [first, second] { node.kill(isPowerLoss: false, &random) }
        }

        /// Lets both nodes work until something holds.
        func run(until isDone: () -> Bool) throws {
            for _ in 0..<2000 where !isDone() {
                stream.pass(20)
                for node in [first, second] {
                    switch node.phase {
                    case .down: break
                    case .standing(let standby): try node.stand(standby, now: moment)
                    case .leading(let leading):
                        leading.replicator.step()
                        leading.log.syncAppended()
                    }
                }
            }
            try #require(isDone())
        }

        var moment: Timestamp {
            Timestamp(microseconds: 1_760_000_000_000_000 + Int64(stream.now) * 1000)
        }

        /// The first node leads, the second follows.
        func settle() throws {
            first.start()
            try run { first.leading != nil }
            second.start()
            try run { second.standby?.report.phase == .following }
        }

        func append(_ count: Int) {
            for sequence in 0..<count {
                let payload = [UInt8](repeating: 7, count: 100)
                _ = first.leading?.log.append(
                    .frame(.motion), session: SessionID(high: 1, low: 2),
                    device: DeviceID(rawValue: 1),
                    sequence: FrameSequence(rawValue: UInt32(sequence + 1)), deviceTime: moment,
                    arrivalTime: moment, payload: payload.span)
            }
            first.leading?.log.syncAppended()
        }
    }

    private func stop(_ node: SimulatedNode) {
        var random = SplitMix(state: 5)
        node.kill(isPowerLoss: false, &random)
    }

    @Test func `A node whose messages the stream has lost compares its files`() throws {
        let pair = Pair()
        defer { pair.end() }
        try pair.settle()
        pair.append(20)
        try pair.run { pair.second.standby?.report.sequence ?? 0 > 12 }
        // The servers come back without their newest messages, and the leader claims once more.
        pair.stream.state.withLock { state in
            state.messages.removeAll { $0.sequence > 5 }
            state.last = 5
            state.sequences = [:]
        }
        stop(pair.first)
        pair.first.start(mustLead: true)
        try pair.run { pair.first.leading != nil }
        let term = try #require(pair.first.leading?.replicator.term)
        for _ in 0..<20 { pair.append(1) }
        try pair.run {
            pair.second.standby?.report.phase == .following
                && pair.second.standby?.leader?.term == term
        }
        #expect(
            pair.second.log.content(of: "000000000001.segment")
                == pair.first.log.content(of: "000000000001.segment"))
    }

    @Test func `A stream that was made anew is not taken for the old one`() throws {
        let pair = Pair()
        defer { pair.end() }
        try pair.settle()
        stop(pair.first)
        pair.stream.state.withLock { state in
            state.messages = []
            state.last = 0
            state.identity = 2
            state.sequences = [:]
        }
        #expect(throws: SimulationError.self) { try pair.run { pair.second.leading != nil } }
        // The operator says whose files count, and the other takes them.
        stop(pair.second)
        pair.first.start(mustLead: true)
        try pair.run { pair.first.leading != nil }
        pair.second.start()
        try pair.run { pair.second.standby?.report.phase == .following }
    }

    @Test func `Recordings of a node's own are not overwritten`() throws {
        let pair = Pair()
        defer { pair.end() }
        pair.first.start()
        try pair.run { pair.first.leading != nil }
        pair.second.log.replace("000000000001.segment", with: [1, 2, 3])
        pair.second.start()
        #expect(throws: SimulationError.self) {
            try pair.run { pair.second.standby?.report.phase == .following }
        }
        #expect(pair.second.log.content(of: "000000000001.segment") == [1, 2, 3])
    }

    @Test func `A node that was used without the cluster has recordings of its own`() throws {
        let pair = Pair()
        defer { pair.end() }
        try pair.settle()
        pair.second.stop()
        try NodePosition.forget(on: pair.second.state)
        pair.second.start()
        #expect(throws: SimulationError.self) { try pair.run { false } }
    }

    @Test func `Two nodes of one name are noticed`() throws {
        let pair = Pair(names: ("a", "a"))
        defer { pair.end() }
        pair.first.start()
        try pair.run { pair.first.leading != nil }
        pair.append(1)
        pair.second.start()
        #expect(throws: SimulationError.self) { try pair.run { false } }
    }

    @Test func `An unfinished copy cannot be made to lead`() throws {
        let pair = Pair()
        defer { pair.end() }
        try pair.settle()
        pair.second.stop()
        let file = PositionFile(pair.second.state)
        _ = try file.read()
        let position = NodePosition(role: .copying, stream: 1, sequence: 3, term: 1, changes: 1)
        try file.write(position)
        pair.second.start(mustLead: true)
        #expect(throws: SimulationError.self) { try pair.run { pair.second.leading != nil } }
    }

    @Test func `A leader whose term has ended keeps nothing`() throws {
        let pair = Pair()
        defer { pair.end() }
        try pair.settle()
        let leading = try #require(pair.first.leading)
        stop(pair.second)
        pair.second.start(mustLead: true)
        for _ in 0..<50 where pair.second.leading == nil {
            pair.stream.pass(500)
            if case .standing(let standby) = pair.second.phase {
                try pair.second.stand(standby, now: pair.moment)
            }
        }
        pair.stream.pass(500)
        leading.replicator.step()
        #expect(leading.replicator.ending == .outranked)
        leading.replicator.add([.removed("x")])
        #expect(!leading.replicator.waitUntilKept())
        pair.append(1)
        #expect(leading.log.durableEnd < leading.log.nextOffset)
    }

    @Test func `Erased records leave the stream once all nodes have applied it, or in time`() {
        func reported(
            _ phase: NodeReport.Phase, _ sequence: UInt64, at time: Int
        ) -> LeaderService.Reported {
            .init(report: NodeReport(node: "b", phase: phase, sequence: sequence), time: time)
        }
        let nodes = [reported(.following, 20, at: 0)]
        var upkeep = StreamUpkeep(term: 10, keptMilliseconds: 3_600_000, at: 0)
        // What an earlier leader may have left.
        #expect(upkeep.end(at: 20, nodes, copyBegin: nil, now: 0) == 10)
        upkeep.removed(below: 10)
        #expect(upkeep.end(at: 20, nodes, copyBegin: nil, now: 0) == nil)
        upkeep.noteErasure(at: 20, now: 0)
        #expect(upkeep.end(at: 21, nodes, copyBegin: nil, now: 500) == nil)
        #expect(upkeep.end(at: 22, [reported(.following, 21, at: 0)], copyBegin: nil, now: 0) == 21)
        // A removal that failed is tried again, a copy keeps what it needs, and an hour is enough.
        #expect(upkeep.end(at: 22, [], copyBegin: 15, now: 600) == 15)
        #expect(upkeep.end(at: 22, nodes, copyBegin: nil, now: 600_001) == 21)
        upkeep.removed(below: 21)
        #expect(upkeep.end(at: 99, nodes, copyBegin: nil, now: 4_300_000) == 22)
        #expect(!StreamUpkeep.isCopying(nodes, now: 0))
        #expect(StreamUpkeep.isCopying([reported(.copying, 1, at: 0)], now: 9000))
    }
}
