import Dispatch

/// Threads for work that waits for the disk, so that neither a loop nor the pipeline does.
struct BackgroundWork: Sendable {
    private let queue = DispatchQueue(label: "pulsecast.background", attributes: .concurrent)

    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    func start(_ work: @escaping @Sendable () -> Void) {
        queue.async { work() }
    }
}
