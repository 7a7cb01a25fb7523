import Sharing
import Transport

/// Streams that stay open while nothing comes.
extension ShareRoutes {
    /// Runs `body`, and writes a keep-alive whenever it writes nothing for a while.
    func withKeepAlive(
        every interval: Duration, to writer: HTTPBodyWriter,
        _ body: @escaping @Sendable (@Sendable ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws {
        let lastWrite = WriteTime()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await body { bytes in
                    try await writer.write(bytes)
                    await lastWrite.note()
                }
            }
            group.addTask {
                while true {
                    let due = await lastWrite.time + interval
                    try await Task.sleep(until: due)
                    guard await lastWrite.time + interval <= .now else { continue }
                    try await writer.write(PublicStreams.keepAlive)
                    await lastWrite.note()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private actor WriteTime {
        private(set) var time = ContinuousClock.now

        func note() {
            time = .now
        }
    }
}
