import FaultyDisk
import SegmentLog
import Testing

@testable import Cluster

@Suite struct CodingTests {
    private static let changes: [FileChange] = [
        .created("000000000001.segment"), .wrote("registry.sqlite", position: 1 << 33, [1, 2, 3]),
        .wrote("a", position: 0, []), .resized("catalog", bytes: 64 << 20),
        .renamed("catalog.tmp", to: "catalog"), .removed("x.erasure"), .copyBegan(.max),
    ]

    private static let entries: [StreamEntry] = [
        .init(node: "a", term: 0, .claimed(isToBeCompared: true)),
        .init(node: "node-2", term: 9, .claimed(isToBeCompared: false)),
        .init(node: "a", term: .max, .changed(changes, isContinued: true)),
        .init(node: "", term: 1, .changed([], isContinued: false)),
        .init(node: "a", term: 1, .beat), .init(node: "a", term: 1, .resigned),
    ]

    private static let questions: [NodeQuestion] = [
        .report(NodeReport(node: "a", phase: .copying, sequence: 7)), .begin(node: "b"),
        .list(copy: 1, from: 4000), .hashes(copy: 2, name: "x", from: 128),
        .block(copy: 3, name: "registry.sqlite", index: 9), .changes(copy: 4),
        .kept(copy: 5, changes: 6), .end(copy: .max),
    ]

    private static let answers: [NodeAnswer] = [
        .refused("busy"), .began(copy: 1, sequence: 2), .files([]),
        .files([.init(name: "a", bytes: 0), .init(name: "b.segment", bytes: 1 << 40)]),
        .bytes([]), .bytes([9]), .number(3), .later, .done,
    ]

    @Test func `What is written is read again`() throws {
        for entry in Self.entries {
            #expect(try StreamEntry(decoding: entry.encoded()) == entry)
        }
        for question in Self.questions {
            let read = try NodeQuestion.decode(question.encoded(term: 42))
            #expect(read.term == 42 && read.question == question)
        }
        for answer in Self.answers { #expect(try NodeAnswer(decoding: answer.encoded()) == answer) }
    }

    @Test func `Damaged bytes are refused or read, and end nothing`() {
        var random = SplitMix(state: 1)
        let encoded =
            Self.entries.map { $0.encoded() } + Self.questions.map { $0.encoded(term: 1) }
            + Self.answers.map { $0.encoded() }
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = encoded[random.below(encoded.count)]
            if random.happens(percent: 50), !bytes.isEmpty {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            } else {
                bytes.removeLast(random.below(bytes.count + 1))
            }
            if (try? StreamEntry(decoding: bytes)) == nil { refused += 1 }
            _ = try? NodeQuestion.decode(bytes)
            _ = try? NodeAnswer(decoding: bytes)
        }
        #expect(refused > 1000)
    }

    @Test(arguments: [
        "", ".", "..", "../registry.sqlite", "a/b", "/etc/passwd", "lock", "reserve", "copy-1",
        ".hidden", "a\0b", "ä", String(repeating: "a", count: 101),
    ])
    func `No node writes outside the folder, or to a file that is each node's own`(name: String) {
        let entry = StreamEntry(
            node: "a", term: 1,
            .changed([.wrote(name, position: 0, [1])], isContinued: false))
        #expect(throws: ClusterError.notUnderstood) { try StreamEntry(decoding: entry.encoded()) }
        let files = NodeAnswer.files([.init(name: name, bytes: 1)])
        #expect(throws: ClusterError.notUnderstood) { try NodeAnswer(decoding: files.encoded()) }
    }

    @Test func `A newer version is named`() {
        var bytes = Self.entries[0].encoded()
        bytes[0] = 2
        #expect(throws: ClusterError.newerVersion(2)) { try StreamEntry(decoding: bytes) }
    }

    @Test func `A torn position leaves the one before`() throws {
        var random = SplitMix(state: 3)
        for _ in 0..<200 {
            let disk = SimulatedDisk()
            let file = PositionFile(disk)
            let first = NodePosition(role: .follower, stream: 5, sequence: 1, term: 3, changes: 2)
            try file.write(first)
            try disk.synchronizeNames()
            disk.fail(.init(kind: .inputOutput, call: disk.calls + random.below(2)))
            let second = NodePosition(role: .leader, stream: 5, sequence: 9, term: 9)
            try? file.write(second)
            let read = try PositionFile(disk.crashed(&random)).read()
            #expect(read == first || read == second)
        }
        #expect(try PositionFile(SimulatedDisk()).read() == nil)
    }
}
