import Dispatch

/// Threads for work that waits for the disk, so that the loops and the pipeline need not wait.
package struct BackgroundWork: Sendable {
    private let queue: DispatchQueue

    package init() {
        queue = DispatchQueue(label: "pulsecast.background", attributes: .concurrent)
    }

    /// - Parameter label: Label of a queue that does one thing at a time.
    package init(serial label: String) {
        queue = DispatchQueue(label: label)
    }

    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// - Throws: Errors of `work`.
    package func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async { work() }
    }
}
