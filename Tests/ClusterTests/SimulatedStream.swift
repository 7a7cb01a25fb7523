import Bytes
import Cluster
import FaultyDisk
import Synchronization

/// A stream with its servers, in memory, for one thread. Time is its own.
final class SimulatedStream: Sendable {
    struct State {
        var messages: [StreamMessage] = []
        var last: UInt64 = 0
        var identity: Int64 = 1
        /// Sequences of messages, by the names under which they were appended.
        var sequences: [String: UInt64] = [:]
        var answering: [String: @Sendable ([UInt8]) -> [UInt8]] = [:]
        /// Nodes that do not reach the stream.
        var cut: Set<String> = []
        var isAway = false
        /// Of 100 calls that fail, before or after they took effect.
        var faultPercent = 0
        var random: SplitMix
        var milliseconds = 0
    }

    let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SplitMix(state: seed))) }

    var now: Int { state.withLock { $0.milliseconds } }

    func pass(_ milliseconds: Int) { state.withLock { $0.milliseconds += milliseconds } }

    /// All messages that were ever appended, also those that were removed.
    let history = Mutex<[StreamMessage]>([])
}

/// A node's connection to the stream.
final class SimulatedConnection: ClusterStream {
    private let stream: SimulatedStream
    private let node: String
    /// Called before the leader answers a question: others go on meanwhile.
    private let meanwhile: @Sendable () -> Void

    init(
        _ stream: SimulatedStream, node: String, meanwhile: @escaping @Sendable () -> Void = {}
    ) {
        self.stream = stream
        self.node = node
        self.meanwhile = meanwhile
    }

    func state() throws(ClusterStreamError) -> StreamState {
        try call { state in
            StreamState(
                identity: state.identity,
                first: state.messages.first?.sequence ?? state.last + 1, last: state.last)
        }
    }

    func append(
        _ message: [UInt8], after last: UInt64, name: String
    ) throws(ClusterStreamError) -> UInt64 {
        precondition(message.count <= ClusterLimits.messageBytesMax)
        let result: Result<UInt64, ClusterStreamError> = try call { state in
            if let known = state.sequences[name] { return .success(known) }
            // Nobody was faster: the servers have lost their end, or have another stream.
            guard state.last >= last else { return .failure(.unavailable("it ends before")) }
            guard state.last == last else { return .failure(.outranked(last: state.last)) }
            state.last += 1
            state.sequences[name] = state.last
            let stored = StreamMessage(sequence: state.last, bytes: message)
            state.messages.append(stored)
            stream.history.withLock { $0.append(stored) }
            return .success(state.last)
        }
        return try result.get()
    }

    func read(
        from sequence: UInt64, waitingMilliseconds milliseconds: Int
    ) throws(ClusterStreamError) -> [StreamMessage] {
        try call { state in
            let index = state.messages.partitioningIndex { $0.sequence >= sequence }
            let count = 1 + state.random.below(20)
            let found = state.messages[index...].prefix(count)
            if found.isEmpty { state.milliseconds += milliseconds / 3 }
            return Array(found)
        }
    }

    func remove(below sequence: UInt64) throws(ClusterStreamError) {
        try call { state in state.messages.removeAll { $0.sequence < sequence } }
    }

    func ask(node: String, _ question: [UInt8]) throws(ClusterStreamError) -> [UInt8] {
        meanwhile()
        guard let answer = try call({ $0.cut.contains(node) ? nil : $0.answering[node] }) else {
            throw .nobody
        }
        let bytes = answer(question)
        precondition(bytes.count <= ClusterLimits.messageBytesMax)
        return try call { _ in bytes }
    }

    func answer(
        as node: String, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws(ClusterStreamError) {
        stream.state.withLock { $0.answering[node] = answer }
    }

    func stopAnswering() { stream.state.withLock { $0.answering[node] = nil } }

    private func call<Result: Sendable>(
        _ body: (inout SimulatedStream.State) -> Result
    ) throws(ClusterStreamError) -> Result {
        let (result, isAnswered) = stream.state.withLock { state -> (Result?, Bool) in
            state.milliseconds += 1 + state.random.below(3)
            let isReached = !state.isAway && !state.cut.contains(node)
            guard isReached, !state.random.happens(percent: state.faultPercent) else {
                state.milliseconds += 100 + state.random.below(1500)
                return (nil, false)
            }
            let result = body(&state)
            return (result, !state.random.happens(percent: state.faultPercent))
        }
        guard isAnswered, let result else { throw .unavailable("simulated") }
        return result
    }
}
