import Cluster
import Synchronization
import Testing

@Suite struct AuthenticatedStreamTests {
    private static func key(_ key: UInt8) -> @Sendable ([UInt8]) -> [UInt8] {
        { SimulatedNode.hash([key] + $0) }
    }

    private let stream = SimulatedStream(seed: 1)

    private func node(_ name: String, key: UInt8 = 1) -> AuthenticatedStream {
        AuthenticatedStream(SimulatedConnection(stream, node: name), sign: Self.key(key))
    }

    @Test func `A message of another key, or at another place, is not taken`() throws {
        _ = try node("a").append([1, 2], after: 0, name: "x")
        #expect(try node("b").read(from: 1, waitingMilliseconds: 0).map(\.bytes) == [[1, 2]])
        #expect(throws: ClusterStreamError.notAuthentic) {
            try node("c", key: 2).read(from: 1, waitingMilliseconds: 0)
        }
        // The same bytes once more, by somebody without the key.
        let bytes = stream.history.withLock { $0[0].bytes }
        let stranger = SimulatedConnection(stream, node: "s")
        _ = try stranger.append(bytes, after: 1, name: "y")
        #expect(throws: ClusterStreamError.notAuthentic) {
            try node("b").read(from: 2, waitingMilliseconds: 0)
        }
    }

    @Test func `A leader answers nobody without the key`() throws {
        try node("a").answer(as: "a") { $0 + [9] }
        #expect(try node("b").ask(node: "a", [1]) == [1, 9])
        #expect(throws: ClusterStreamError.notAuthentic) {
            try node("b", key: 2).ask(node: "a", [1])
        }
        let stranger = SimulatedConnection(stream, node: "s")
        #expect(try stranger.ask(node: "a", Array(repeating: 0, count: 40)).isEmpty)
        #expect(try stranger.ask(node: "a", []).isEmpty)
    }

    @Test func `An answer to another question is not taken`() throws {
        let (first, second) = (SimulatedConnection(stream, node: "s"), node("b"))
        try node("a").answer(as: "a") { $0 }
        let recorded = Recorded()
        try first.answer(as: "r") { question in
            // Repeats the first answer that it has heard.
            recorded.answer(to: question) { (try? first.ask(node: "a", $0)) ?? [] }
        }
        #expect(throws: ClusterStreamError.notAuthentic) { try second.ask(node: "r", [1]) }
    }
}

private final class Recorded: Sendable {
    func answer(to question: [UInt8], _ ask: ([UInt8]) -> [UInt8]) -> [UInt8] { ask(question) }
}
