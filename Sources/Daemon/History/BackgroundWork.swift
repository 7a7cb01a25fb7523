import Dispatch

/// Threads for work that waits for the disk, so that neither a loop nor the pipeline does.
struct BackgroundWork: Sendable {
    private let queue = DispatchQueue(label: "pulsecast.background", attributes: .concurrent)

    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Begins after `microseconds`, in which no thread waits; zero or less: at once.
    func start(
        afterMicroseconds microseconds: Int64 = 0, _ work: @escaping @Sendable () -> Void
    ) {
        guard microseconds > 0 else { return queue.async { work() } }
        queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds))) { work() }
    }
}
