import Synchronization

/// Waits for work for a limited time. Work that does not heed its cancellation goes on alone.
enum Deadline {
    /// - Parameters:
    ///   - seconds: Time for the work; it is cancelled then.
    ///   - work: The work.
    /// - Returns: Its result; `nil` when there was none in time.
    static func value<Value: Sendable>(
        within seconds: Double, _ work: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        await value(work) { try? await Task.sleep(for: .seconds(seconds)) }
    }

    /// - Parameters:
    ///   - seconds: Time for the work; it is cancelled then.
    ///   - idleSeconds: Time without progress after which it is cancelled, too.
    ///   - work: The work; it tells of its progress.
    /// - Returns: Its result; `nil` when there was none in time.
    static func value<Value: Sendable>(
        within seconds: Double, idleFor idleSeconds: Double,
        _ work: @escaping @Sendable (Progress) async -> Value?
    ) async -> Value? {
        let progress = Progress()
        let end = ContinuousClock.now + .seconds(seconds)
        return await value({ await work(progress) }) {
            while !Task.isCancelled {
                let due = min(end, progress.newest + .seconds(idleSeconds))
                guard due > .now else { return }
                try? await Task.sleep(until: due, clock: .continuous)
            }
        }
    }

    /// The time at which work last went on.
    final class Progress: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var newest: ContinuousClock.Instant { time.withLock { $0 } }

        func note() { time.withLock { $0 = .now } }
    }

    private static func value<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value?,
        until isOver: @escaping @Sendable () async -> Void
    ) async -> Value? {
        let (results, result) = AsyncStream.makeStream(
            of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let worker = Task {
            result.yield(await work())
            result.finish()
        }
        let timer = Task {
            await isOver()
            result.finish()
        }
        defer {
            worker.cancel()
            timer.cancel()
        }
        for await found in results { return found }
        return nil
    }
}
