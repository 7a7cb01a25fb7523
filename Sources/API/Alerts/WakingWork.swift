import Synchronization

/// Work that goes on by itself: at each wake, and at each tick. Any thread.
final class WakingWork: Sendable {
    typealias Job = @Sendable () async -> Void

    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init() {
        (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    deinit { stop() }

    /// Makes the work go on soon. Wakes that come before it does are one.
    func wake() { waker.yield() }

    /// - Parameters:
    ///   - tickSeconds: Seconds between two ticks.
    ///   - begin: Runs before the first tick.
    ///   - tick: Runs at each tick, and at once.
    ///   - woken: Runs at each wake; the jobs that it returns run beside it and each other.
    func start(
        tickSeconds: Double, begin: @escaping @Sendable () async -> Void = {},
        tick: @escaping @Sendable () async -> Void,
        woken: @escaping @Sendable () async -> [Job]
    ) {
        let ticking = Task {
            await begin()
            while !Task.isCancelled {
                await tick()
                try? await Task.sleep(for: .seconds(tickSeconds))
            }
        }
        let working = Task { [wakes] in
            await withDiscardingTaskGroup { group in
                for await _ in wakes {
                    for job in await woken() { group.addTask { await job() } }
                }
            }
        }
        tasks.withLock { $0 = [ticking, working] }
    }

    func stop() {
        waker.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
