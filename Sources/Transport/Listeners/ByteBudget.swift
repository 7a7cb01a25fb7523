import Synchronization

/// What the connections of a class may make the daemon hold: a small allowance each, and what they
/// need beyond it from one pool, so that many half-sent messages cannot fill the memory.
public struct ByteAllowance: Hashable, Sendable {
    /// Of every connection, whatever the others hold.
    public let ownBytes: Int
    /// Of all connections of the class together, beyond their own.
    public let pooledBytes: Int

    /// What has come and is no whole message, line or body yet.
    public static func received(_ kind: ConnectionClass) -> Self {
        switch kind {
        // Few, and the body of a device's push comes before its token is looked at.
        case .stranger: Self(ownBytes: 64 << 10, pooledBytes: 32 << 20)
        // They say where to look, join a topic, cheer.
        case .viewer: Self(ownBytes: 4 << 10, pooledBytes: 16 << 20)
        case .device: Self(ownBytes: 8 << 10, pooledBytes: 96 << 20)
        case .operations, .owner: Self(ownBytes: 64 << 10, pooledBytes: 32 << 20)
        }
    }

    /// What the socket has not taken yet, of all classes together.
    public static let owed = Self(ownBytes: 4 << 10, pooledBytes: 128 << 20)
}

/// The pools of all connections of a server. From any loop.
final class ByteBudget: Sendable {
    /// Taken from the pools in steps of this, so that few chunks ask for the lock.
    private static let stepBytes = 16 << 10

    private struct Pools {
        var received = [Int](repeating: 0, count: ConnectionClass.allCases.count)
        var owed = 0
    }

    private let pools = Mutex(Pools())

    /// What a connection of that allowance takes from the pool to hold so many bytes.
    static func pooled(_ bytes: Int, _ allowance: ByteAllowance) -> Int {
        let beyond = max(0, bytes - allowance.ownBytes)
        return (beyond + stepBytes - 1) / stepBytes * stepBytes
    }

    /// - Returns: `false` when the pool has too little left; nothing changes then.
    func receive(_ kind: ConnectionClass, _ change: Int) -> Bool {
        let bound = ByteAllowance.received(kind).pooledBytes
        return pools.withLock { pools in
            let sum = pools.received[Int(kind.rawValue)] + change
            guard change <= 0 || sum <= bound else { return false }
            pools.received[Int(kind.rawValue)] = sum
            return true
        }
    }

    /// As ``receive(_:_:)``, of what is to be sent.
    func owe(_ change: Int) -> Bool {
        pools.withLock { pools in
            guard change <= 0 || pools.owed + change <= ByteAllowance.owed.pooledBytes else {
                return false
            }
            pools.owed += change
            return true
        }
    }

    /// What the pools have given out, for tests.
    var takenBytes: Int { pools.withLock { $0.received.reduce(0, +) + $0.owed } }
}
