import SensorModel
import Sharing

/// The heart rates of shares for readers of other services' interfaces: one look a share and turn,
/// however many read it, and none while nobody does.
actor HeartRateWatch {
    /// The pipeline makes one value a second.
    private static let interval = Duration.milliseconds(500)

    typealias Readings = AsyncStream<HeartRateReading?>

    private struct Watched {
        var readers: [Int: Readings.Continuation] = [:]
        var last: HeartRateReading?
        /// Whether ``last`` is what was found, be it nothing.
        var hasLooked = false
    }

    private let shares: ShareRoutes
    private var watched: [ShareKey: Watched] = [:]
    private var nextReader = 0

    init(shares: ShareRoutes) {
        self.shares = shares
    }

    /// - Parameter share: Shows heart rates; no group.
    /// - Returns: The reading now, and each other than the last; a slow reader gets the newest only.
    ///   `nil` is sent while there is none. Ends with the share.
    func readings(of share: Share) -> Readings {
        let (stream, continuation) = Readings.makeStream(bufferingPolicy: .bufferingNewest(1))
        nextReader += 1
        let reader = nextReader
        continuation.onTermination = { [weak self] _ in
            Task { await self?.remove(reader, from: share.key) }
        }
        let before = watched[share.key]
        watched[share.key, default: Watched()].readers[reader] = continuation
        if let before, before.hasLooked { continuation.yield(before.last) }
        if before == nil { Task { await look(at: share) } }
        return stream
    }

    private func remove(_ reader: Int, from key: ShareKey) {
        watched[key]?.readers[reader] = nil
    }

    private func look(at share: Share) async {
        while let before = watched[share.key], !before.readers.isEmpty {
            guard shares.isOpen(share) else { break }
            let reading = await shares.reading(of: share)
            if reading != before.last || !before.hasLooked {
                watched[share.key]?.last = reading
                watched[share.key]?.hasLooked = true
                for reader in watched[share.key]?.readers.values ?? [:].values {
                    reader.yield(reading)
                }
            }
            // Nothing cancels this task: it ends with its readers.
            try? await Task.sleep(for: Self.interval)
        }
        for reader in watched.removeValue(forKey: share.key)?.readers.values ?? [:].values {
            reader.finish()
        }
    }
}

extension HeartRateReading {
    /// Others' interfaces have no word for an old value: it is not shown by them.
    var isCurrent: Bool { state == .live || state == .paused }
}

extension ShareRoutes {
    private static let lookInterval = Duration.milliseconds(500)

    /// Whether what was found by its ID may still be shown: not revoked, expired or rotated.
    func isOpen(_ share: Share) -> Bool {
        let time = clock()
        return accounts.withState { state in
            guard let now = state.shares[share.key] else { return false }
            return now.idHash == share.idHash && state.shares.isShown(now, at: time)
        }
    }

    /// Runs `work` until it is done or the share is over.
    func whileOpen(_ share: Share, _ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { await work() }
            group.addTask {
                while isOpen(share) {
                    do { try await Task.sleep(for: Self.lookInterval) } catch { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Counts a reader among the share's viewers for as long as `work` runs.
    ///
    /// - Returns: `false` when the share has all it may have; `work` did not run.
    func whileCounted(
        _ share: Share, _ work: () async throws -> Void
    ) async rethrows -> Bool {
        let isAdmitted = accounts.withState { state in
            guard state.viewers.admit(to: share) else { return false }
            state.viewersEverChanged.insert(share.key)
            return true
        }
        guard isAdmitted else { return false }
        defer { accounts.withState { $0.viewers.left(share.key) } }
        try await work()
        return true
    }
}
