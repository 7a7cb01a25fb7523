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
    fileprivate let budget = ByteBudget()

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

    fileprivate func prove(
        _ number: UInt64, _ proof: ConnectionProof, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.prove(number, proof, bounds) }
    }

    fileprivate func move(
        _ number: UInt64, to peer: PeerAddress?, _ bounds: ConnectionTable.Bounds
    ) -> ConnectionTable.Refusal? {
        change { $0.table.move(number, to: peer, bounds) }
    }

    fileprivate func owe(_ kind: ConnectionClass, _ bytes: Int, by number: UInt64) -> Bool {
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

    fileprivate func release(_ number: UInt64) {
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

/// A connection's place in the table. Loop only.
final class ConnectionTicket {
    private let admission: ConnectionAdmission
    private let number: UInt64
    private let bounds: ConnectionTable.Bounds
    private var proved: ConnectionClass
    /// Received bytes that are held: of a message, and of an incomplete TLS record.
    private var (messageBytes, recordBytes) = (0, 0)
    /// Bytes taken from the budget's pools.
    private var pooledReceived = 0
    private var pooledOwed = 0
    private var owedBytes = 0
    private var counted: PeerAddress?
    private var isReleased = false

    fileprivate init(
        admission: ConnectionAdmission, number: UInt64, kind: ConnectionClass,
        bounds: ConnectionTable.Bounds
    ) {
        self.admission = admission
        self.number = number
        proved = kind
        self.bounds = bounds
    }

    /// Raises the connection to the class that it has proved.
    ///
    /// - Returns: The reason why that class has no place; the connection must then be closed.
    func prove(_ proof: ConnectionProof) -> ConnectionTable.Refusal? {
        guard !isReleased, proof.kind > proved else { return nil }
        if let refusal = admission.prove(number, proof, bounds) { return refusal }
        _ = admission.budget.owe(proved, 0, by: number)
        pooledOwed = 0
        _ = admission.budget.receive(proved, -pooledReceived)
        // Received bytes are counted anew with the next ones; normally none are pending here.
        pooledReceived = 0
        proved = proof.kind
        return nil
    }

    /// Reports how many received bytes the connection holds that are not yet a whole message.
    ///
    /// - Returns: `false` if its class may not hold that much; the connection must then be closed.
    func setReceived(_ bytes: Int) -> Bool {
        messageBytes = bytes
        return drawReceived()
    }

    /// Reports how many bytes of an incomplete TLS record the connection holds.
    ///
    /// - Returns: `false`: the connection must be closed.
    func setRecord(_ bytes: Int) -> Bool {
        recordBytes = bytes
        return drawReceived()
    }

    private func drawReceived() -> Bool {
        let pooled = ByteBudget.pooled(messageBytes + recordBytes, .received(proved))
        guard pooled != pooledReceived else { return true }
        guard !isReleased, admission.budget.receive(proved, pooled - pooledReceived) else {
            return false
        }
        pooledReceived = pooled
        return true
    }

    /// Reports a change of the bytes that the socket has still to accept.
    ///
    /// Other connections of its class may be evicted for it, those that have read nothing for
    /// longest.
    ///
    /// - Returns: `false` if the connection alone owes too much; it must then be closed.
    func changeOwed(by bytes: Int) -> Bool {
        owedBytes += bytes
        let pooled = ByteBudget.pooled(owedBytes, .owed(proved))
        guard pooled != pooledOwed else { return true }
        guard !isReleased else { return false }
        pooledOwed = pooled
        return admission.owe(proved, pooled, by: number)
    }

    /// Assigns the connection to the peer that a trusted proxy names; `nil`: to the proxy itself.
    ///
    /// - Returns: The reason why that peer may have no further connection; this one must then be
    ///   closed.
    func move(to peer: PeerAddress?) -> ConnectionTable.Refusal? {
        let peer = peer?.isLoopback == true ? nil : peer
        guard counted != peer else { return nil }
        counted = peer
        return admission.move(number, to: peer, bounds)
    }

    func release() {
        guard !isReleased else { return }
        isReleased = true
        _ = admission.budget.receive(proved, -pooledReceived)
        pooledReceived = 0
        _ = admission.budget.owe(proved, 0, by: number)
        admission.release(number)
    }
}
