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

    init(
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
