/// Bytes that sockets of one class have still to accept, beyond each connection's own allowance.
///
/// When the pool is full, the peer that has read nothing for longest is evicted first. So peers
/// that do not read cannot cut off a peer that reads.
struct OwedBytes {
    private struct Debt {
        var bytes: Int
        /// Number of the last step in which its socket accepted bytes, or its first.
        var progress: UInt64
    }

    let bytesMax: Int
    private(set) var bytes = 0
    private var debts: [UInt64: Debt] = [:]
    private var step: UInt64 = 0

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    enum Answer: Hashable {
        case taken
        /// Connections that must be closed; they owe nothing any more.
        case evicting([UInt64])
        /// The connection alone would owe more than the pool allows; it owes nothing any more.
        case refused
    }

    /// Sets the bytes that a connection owes.
    ///
    /// - Complexity: O(connections that owe) if the pool is full.
    mutating func set(_ count: Int, of number: UInt64) -> Answer {
        let before = debts[number]
        guard count <= bytesMax else {
            bytes -= debts.removeValue(forKey: number)?.bytes ?? 0
            return .refused
        }
        step += 1
        bytes += count - (before?.bytes ?? 0)
        let isProgress = count < before?.bytes ?? .max
        debts[number] =
            count == 0
            ? nil : Debt(bytes: count, progress: isProgress ? step : before?.progress ?? step)
        guard bytes > bytesMax else { return .taken }
        var evicted: [UInt64] = []
        while bytes > bytesMax, let slowest = slowest(besides: number) {
            bytes -= debts.removeValue(forKey: slowest)?.bytes ?? 0
            evicted.append(slowest)
        }
        return .evicting(evicted)
    }

    private func slowest(besides number: UInt64) -> UInt64? {
        debts.lazy.filter { $0.key != number }.min { $0.value.progress < $1.value.progress }?.key
    }
}
