package import SegmentLog
package import SensorModel

/// Erases sessions from the log, one rewrite at a time. Requests during a rewrite wait and are
/// erased together.
package actor ErasureQueue {
    private struct Request {
        let sessions: Set<SessionID>
        let reply: CheckedContinuation<Result<Int, SegmentLogError>, Never>
    }

    private let erase: @Sendable (Set<SessionID>) async -> Result<Int, SegmentLogError>
    private var waiting: [Request] = []
    private var isRunning = false
    /// Number of rewrites; for tests.
    private(set) var rewrites = 0

    /// - Parameter erase: Erases sessions; calls never overlap.
    package init(
        _ erase: @escaping @Sendable (Set<SessionID>) async -> Result<Int, SegmentLogError>
    ) {
        self.erase = erase
    }

    /// Number of waiting requests.
    var waitingCount: Int { waiting.count }

    /// - Returns: Bytes erased, including those of other requests in the same rewrite.
    package func run(_ sessions: Set<SessionID>) async -> Result<Int, SegmentLogError> {
        await withCheckedContinuation { continuation in
            waiting.append(Request(sessions: sessions, reply: continuation))
            guard !isRunning else { return }
            isRunning = true
            Task { await work() }
        }
    }

    private func work() async {
        while !waiting.isEmpty {
            let batch = waiting
            waiting = []
            rewrites += 1
            let all = batch.reduce(into: Set<SessionID>()) { $0.formUnion($1.sessions) }
            let result = await erase(all)
            for request in batch { request.reply.resume(returning: result) }
        }
        isRunning = false
    }
}
