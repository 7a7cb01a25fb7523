import NIOCore
import Synchronization

/// Applies the connection limits to all loops and listeners of a server.
///
/// It requests places from the table and closes the connections that the table evicts.
final class ConnectionAdmission: Sendable {
    private struct State {
        var table = ConnectionTable()
        var channels: [UInt64: any Channel] = [:]
    }

    private let state = Mutex(State())
    private let counters: TransportCounters
    let budget = ByteBudget()

    init(counters: TransportCounters) {
        self.counters = counters
    }

    /// - Parameters:
    ///   - channel: The connection's channel.
    ///   - peer: `nil` if the address is not counted: the machine's own, or a trusted proxy.
    ///   - kind: The class that the listener gives to all its connections.
    ///   - limits: Limits of the listener.
    /// - Returns: A place that must be released, or the reason why there is none.
    func admit(
        _ channel: any Channel, from peer: PeerAddress?, as kind: ConnectionClass,
        limits: ConnectionLimits
    ) -> Result<ConnectionTicket, ConnectionTable.Refusal> {
        let bounds = ConnectionTable.Bounds(limits)
        let answer = place { state in
            let placed = state.table.admit(peer, as: kind, bounds)
            if case .success(let placed) = placed { state.channels[placed.number] = channel }
            return placed
        }
        return answer.map { number in
            counters.connectionsOpen.wrappingAdd(1, ordering: .relaxed)
            counters.connectionsAccepted.wrappingAdd(1, ordering: .relaxed)
            return ConnectionTicket(
                admission: self, number: number, kind: kind, bounds: bounds)
        }
    }

    func prove(
        _ number: UInt64, _ proof: ConnectionProof, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.prove(number, proof, bounds) }
    }

    func move(
        _ number: UInt64, to peer: PeerAddress?, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.move(number, to: peer, bounds) }
    }

    func owe(_ kind: ConnectionClass, _ bytes: Int, by number: UInt64) -> Bool {
        switch budget.owe(kind, bytes, by: number) {
        case .taken: return true
        case .refused: return false
        case .evicting(let numbers):
            let channels = state.withLock { state in
                numbers.compactMap { state.channels[$0] }
            }
            for channel in channels { channel.drop() }
            counters.connectionsRefused.wrappingAdd(channels.count, ordering: .relaxed)
            return true
        }
    }

    func release(_ number: UInt64) {
        counters.connectionsOpen.wrappingSubtract(1, ordering: .relaxed)
        state.withLock { state in
            state.table.remove(number)
            state.channels[number] = nil
        }
    }

    /// Bytes taken from all pools, for tests.
    var pooledBytes: Int { budget.takenBytes }

    private func change(
        _ body: (inout State) -> Result<ConnectionTable.Placed, ConnectionTable.Refusal>?
    ) -> ConnectionTable.Refusal? {
        // Without a change there is no refusal.
        let answer = place { body(&$0) ?? .success(ConnectionTable.Placed(number: 0)) }
        return if case .failure(let refusal) = answer { refusal } else { nil }
    }

    private func place(
        _ body: (inout State) -> Result<ConnectionTable.Placed, ConnectionTable.Refusal>
    ) -> Result<UInt64, ConnectionTable.Refusal> {
        let (answer, evicted) = state.withLock { state in
            let answer = body(&state)
            let placed = try? answer.get()
            return (answer, placed?.evicted.flatMap { state.channels.removeValue(forKey: $0) })
        }
        if let evicted {
            counters.connectionsRefused.wrappingAdd(1, ordering: .relaxed)
            evicted.drop()
        }
        if case .failure = answer {
            counters.connectionsRefused.wrappingAdd(1, ordering: .relaxed)
        }
        return answer.map(\.number)
    }
}
