import SegmentLog
import SensorModel

/// Erases sessions from the log, one rewrite of it at a time: what is asked for meanwhile waits and
/// is erased together.
actor ErasureQueue {
    private struct Request {
        let sessions: Set<SessionID>
        let reply: CheckedContinuation<Result<Int, SegmentLogError>, Never>
    }

    private let erase: @Sendable (Set<SessionID>) async -> Result<Int, SegmentLogError>
    private var waiting: [Request] = []
    private var isRunning = false
    /// For tests.
    private(set) var rewrites = 0

    /// - Parameter erase: Never called before the last call has returned.
    init(_ erase: @escaping @Sendable (Set<SessionID>) async -> Result<Int, SegmentLogError>) {
        self.erase = erase
    }

    /// Requests that wait.
    var waitingCount: Int { waiting.count }

    /// - Returns: Bytes erased, together with what others asked for in the same moment.
    func run(_ sessions: Set<SessionID>) async -> Result<Int, SegmentLogError> {
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
