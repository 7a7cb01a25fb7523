import Synchronization

/// Memory that the connections of a class may occupy: a small allowance each, and one shared pool
/// beyond it, so that many half-sent messages cannot fill the memory.
public struct ByteAllowance: Hashable, Sendable {
    /// Bytes that every connection may hold, regardless of the others.
    public let ownBytes: Int
    /// Bytes that all connections of the class may hold together, beyond their own allowances.
    public let pooledBytes: Int

    /// Bytes read in failed flushes that a loop's connections may hold together; see ``FlushGate``.
    public static let readInFlushesMax = 1 << 20
    /// Bytes that closed connections of all devices sent and that still wait; see ``LeftBytes``.
    public static let leftMax = 4 << 20

    /// Allowance for received bytes that are not yet a whole message, line or body.
    public static func received(_ kind: ConnectionClass) -> Self {
        switch kind {
        // Strangers are few, but the body of a device's push arrives before its token is checked.
        case .stranger: Self(ownBytes: 64 << 10, pooledBytes: 12 << 20)
        // Viewers send only playback commands, topics and cheers.
        case .viewer: Self(ownBytes: 4 << 10, pooledBytes: 16 << 20)
        case .device: Self(ownBytes: 8 << 10, pooledBytes: 36 << 20)
        case .operations, .owner: Self(ownBytes: 64 << 10, pooledBytes: 8 << 20)
        }
    }

    /// Allowance for bytes that the socket has not accepted yet. Each class has its own pool, so
    /// that viewers cannot cut off the answers to owners.
    public static func owed(_ kind: ConnectionClass) -> Self {
        switch kind {
        case .stranger: Self(ownBytes: 4 << 10, pooledBytes: 8 << 20)
        case .viewer, .device: Self(ownBytes: 4 << 10, pooledBytes: 24 << 20)
        case .operations, .owner: Self(ownBytes: 4 << 10, pooledBytes: 4 << 20)
        }
    }
}

/// The pools of all connections of a server. Any thread.
final class ByteBudget: Sendable {
    /// Connections draw on pools in steps of this size, so that few chunks take the lock.
    private static let stepBytes = 16 << 10

    private struct Pools {
        var received = [Int](repeating: 0, count: ConnectionClass.allCases.count)
        var owed = ConnectionClass.allCases.map {
            OwedBytes(bytesMax: ByteAllowance.owed($0).pooledBytes)
        }
    }

    private let pools = Mutex(Pools())

    /// Bytes that a connection with that allowance takes from the pool to hold `bytes`.
    static func pooled(_ bytes: Int, _ allowance: ByteAllowance) -> Int {
        let beyond = max(0, bytes - allowance.ownBytes)
        return (beyond + stepBytes - 1) / stepBytes * stepBytes
    }

    /// - Returns: `false` if the pool has too little left; nothing changes then.
    func receive(_ kind: ConnectionClass, _ change: Int) -> Bool {
        let bound = ByteAllowance.received(kind).pooledBytes
        return pools.withLock { pools in
            let sum = pools.received[Int(kind.rawValue)] + change
            guard change <= 0 || sum <= bound else { return false }
            pools.received[Int(kind.rawValue)] = sum
            return true
        }
    }

    /// Sets the pooled bytes that a connection's socket has still to accept.
    func owe(_ kind: ConnectionClass, _ bytes: Int, by number: UInt64) -> OwedBytes.Answer {
        pools.withLock { $0.owed[Int(kind.rawValue)].set(bytes, of: number) }
    }

    /// Bytes taken from all pools, for tests.
    var takenBytes: Int {
        pools.withLock { pools in
            pools.received.reduce(0, +) + pools.owed.reduce(0) { $0 + $1.bytes }
        }
    }
}
