import NIOCore
import Synchronization

/// Counts connections against the limits, over all loops and listeners of a server.
///
/// When strangers fill all places kept for them, the one that has been one for longest gives way:
/// who means well is known within a second, and who only holds a place does not hold it long.
final class ConnectionCensus: Sendable {
    enum Refusal: Error, Hashable, Sendable {
        case connections
        case address
    }

    fileprivate struct Count {
        var open = 0
        var byNetwork: [PeerAddress.Network: Int] = [:]
        /// In the order they came; numbers of those no longer strangers are skipped.
        var strangers: [UInt64: any Channel] = [:]
        var strangerQueue: [UInt64] = []
        var queueStart = 0
        var nextNumber: UInt64 = 0
    }

    private let count = Mutex(Count())
    private let counters: TransportCounters

    init(counters: TransportCounters) {
        self.counters = counters
    }

    /// - Returns: A place, to be given back, or why there is none.
    func admit(
        _ channel: any Channel, from peer: PeerAddress, limits: ConnectionLimits
    ) -> Result<ConnectionTicket, Refusal> {
        var evicted: (any Channel)?
        let answer = count.withLock { count -> Result<UInt64, Refusal> in
            guard count.open < limits.connectionsMax else { return .failure(.connections) }
            if !peer.isLoopback {
                guard count.byNetwork[peer.network, default: 0] < limits.connectionsPerAddressMax
                else { return .failure(.address) }
                count.byNetwork[peer.network, default: 0] += 1
            }
            if count.strangers.count >= limits.unauthenticatedMax { evicted = count.takeOldest() }
            count.open += 1
            return .success(count.addStranger(channel))
        }
        if let evicted {
            counters.connectionsRefused.wrappingAdd(1, ordering: .relaxed)
            evicted.close(promise: nil)
        }
        switch answer {
        case .success(let number):
            counters.connectionsOpen.wrappingAdd(1, ordering: .relaxed)
            counters.connectionsAccepted.wrappingAdd(1, ordering: .relaxed)
            return .success(ConnectionTicket(census: self, number: number, peer: peer))
        case .failure(let refusal):
            counters.connectionsRefused.wrappingAdd(1, ordering: .relaxed)
            return .failure(refusal)
        }
    }

    fileprivate func authenticate(_ number: UInt64) {
        count.withLock { $0.strangers[number] = nil }
    }

    fileprivate func release(_ number: UInt64, _ peer: PeerAddress) {
        counters.connectionsOpen.wrappingSubtract(1, ordering: .relaxed)
        count.withLock { count in
            count.open -= 1
            count.strangers[number] = nil
            guard !peer.isLoopback else { return }
            let left = count.byNetwork[peer.network, default: 1] - 1
            count.byNetwork[peer.network] = left > 0 ? left : nil
        }
    }
}

extension ConnectionCensus.Count {
    mutating func addStranger(_ channel: any Channel) -> UInt64 {
        let number = nextNumber
        nextNumber += 1
        strangers[number] = channel
        strangerQueue.append(number)
        if strangerQueue.count > 64, strangerQueue.count > 4 * strangers.count {
            strangerQueue = strangerQueue[queueStart...].filter { strangers[$0] != nil }
            queueStart = 0
        }
        return number
    }

    mutating func takeOldest() -> (any Channel)? {
        while queueStart < strangerQueue.count {
            let number = strangerQueue[queueStart]
            queueStart += 1
            if let channel = strangers.removeValue(forKey: number) { return channel }
        }
        return nil
    }
}

/// A connection's place in the count. Loop only.
final class ConnectionTicket {
    private let census: ConnectionCensus
    private let number: UInt64
    private let peer: PeerAddress
    private var isStranger = true
    private var isReleased = false

    fileprivate init(census: ConnectionCensus, number: UInt64, peer: PeerAddress) {
        self.census = census
        self.number = number
        self.peer = peer
    }

    /// It is a device that was welcomed, or a viewer of a share that exists.
    func authenticate() {
        guard isStranger else { return }
        isStranger = false
        census.authenticate(number)
    }

    func release() {
        guard !isReleased else { return }
        isReleased = true
        census.release(number, peer)
    }
}
