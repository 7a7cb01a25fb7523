import NIOCore
import Synchronization

/// The connections of all loops and listeners of a server against their bounds: asks the table who
/// has a place, and closes those that gave way.
final class ConnectionCensus: Sendable {
    private struct State {
        var table = ConnectionTable()
        var channels: [UInt64: any Channel] = [:]
    }

    private let state = Mutex(State())
    private let counters: TransportCounters
    fileprivate let budget = ByteBudget()

    init(counters: TransportCounters) {
        self.counters = counters
    }

    /// - Parameters:
    ///   - channel: Of the connection.
    ///   - peer: `nil` where its address counts for nothing: the machine's own, a trusted proxy.
    ///   - kind: What the listener makes of everybody.
    ///   - limits: Of the listener.
    /// - Returns: A place, to be given back, or why there is none.
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
                census: self, number: number, kind: kind, bounds: bounds)
        }
    }

    fileprivate func prove(
        _ number: UInt64, _ kind: ConnectionClass, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.prove(number, kind, bounds) }
    }

    fileprivate func move(
        _ number: UInt64, to peer: PeerAddress?, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.move(number, to: peer, bounds) }
    }

    fileprivate func release(_ number: UInt64) {
        counters.connectionsOpen.wrappingSubtract(1, ordering: .relaxed)
        state.withLock { state in
            state.table.remove(number)
            state.channels[number] = nil
        }
    }

    /// What the pools have given out, for tests.
    var pooledBytes: Int { budget.takenBytes }

    private func change(
        _ body: (inout State) -> Result<ConnectionTable.Placed, ConnectionTable.Refusal>?
    ) -> ConnectionTable.Refusal? {
        // Where nothing changes, nobody is refused.
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
            evicted.close(promise: nil)
        }
        if case .failure = answer {
            counters.connectionsRefused.wrappingAdd(1, ordering: .relaxed)
        }
        return answer.map(\.number)
    }
}

/// A connection's place in the count. Loop only.
final class ConnectionTicket {
    private let census: ConnectionCensus
    private let number: UInt64
    private let bounds: ConnectionTable.Bounds
    private var proved: ConnectionClass
    /// Taken from the budget's pools.
    private var pooledReceived = 0
    private var pooledOwed = 0
    private var owedBytes = 0
    private var counted: PeerAddress?
    private var isReleased = false

    fileprivate init(
        census: ConnectionCensus, number: UInt64, kind: ConnectionClass,
        bounds: ConnectionTable.Bounds
    ) {
        self.census = census
        self.number = number
        proved = kind
        self.bounds = bounds
    }

    /// - Returns: Why it has no place as what it is; it is to be closed then.
    func prove(_ kind: ConnectionClass) -> ConnectionTable.Refusal? {
        guard kind > proved else { return nil }
        if let refusal = census.prove(number, kind, bounds) { return refusal }
        _ = census.budget.receive(proved, -pooledReceived)
        // Counted anew with what comes next; it is whole as a rule.
        pooledReceived = 0
        proved = kind
        return nil
    }

    /// Tells how much the connection holds of what has come and is no whole message yet.
    ///
    /// - Returns: `false` when its class may not hold as much; it is to be closed then.
    func holdsReceived(_ bytes: Int) -> Bool {
        let pooled = ByteBudget.pooled(bytes, .received(proved))
        guard pooled != pooledReceived else { return true }
        guard !isReleased, census.budget.receive(proved, pooled - pooledReceived) else {
            return false
        }
        pooledReceived = pooled
        return true
    }

    /// Tells how much more, or less, the socket has still to take.
    ///
    /// - Returns: `false` when all connections together owe too much; it is to be closed then.
    func owes(more bytes: Int) -> Bool {
        owedBytes += bytes
        let pooled = ByteBudget.pooled(owedBytes, .owed)
        guard pooled != pooledOwed else { return true }
        guard !isReleased, census.budget.owe(pooled - pooledOwed) else { return false }
        pooledOwed = pooled
        return true
    }

    /// A trusted proxy says whose the connection is from here on; `nil`: its own.
    ///
    /// - Returns: Why that peer may not have one more; it is to be closed then.
    func move(to peer: PeerAddress?) -> ConnectionTable.Refusal? {
        let peer = peer?.isLoopback == true ? nil : peer
        guard counted != peer else { return nil }
        counted = peer
        return census.move(number, to: peer, bounds)
    }

    func release() {
        guard !isReleased else { return }
        isReleased = true
        _ = census.budget.receive(proved, -pooledReceived)
        _ = census.budget.owe(-pooledOwed)
        census.release(number)
    }
}
