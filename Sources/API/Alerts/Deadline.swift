/// Waits for work for a limited time. Work that does not heed its cancellation goes on alone.
enum Deadline {
    /// - Parameters:
    ///   - seconds: Time for the work; it is cancelled then.
    ///   - work: The work.
    /// - Returns: Its result; `nil` when there was none in time.
    static func value<Value: Sendable>(
        within seconds: Double, _ work: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        let (results, result) = AsyncStream.makeStream(
            of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let worker = Task {
            result.yield(await work())
            result.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: .seconds(seconds))
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
