import Logging
import SegmentLog
import SensorModel
import Sessions
import Synchronization

/// Loads sessions from before a restart back into memory, one task a session. It reads on threads
/// of its own pool, so a watch that reconnects never waits for viewers. The result goes to the
/// pipeline. Any thread.
final class SessionRebuilder: Sendable {
    private struct Reading {
        let number: UInt64
        let task: Task<Void, Never>
    }

    private static let retryAfter = Duration.milliseconds(200)

    private let log: SegmentLog
    private let mailbox: PipelineMailbox
    private let pool: ReadPool
    private let logger: Logger
    private let readings = Mutex<[SessionID: Reading]>([:])

    init(log: SegmentLog, mailbox: PipelineMailbox, pool: ReadPool, logger: Logger) {
        self.log = log
        self.mailbox = mailbox
        self.pool = pool
        self.logger = logger
    }

    /// Number of sessions that are being read or wait to be read.
    var count: Int { readings.withLock { $0.count } }

    /// Rebuilds the processors of a session in the pipeline's memory. An earlier ticket of the
    /// session is outdated, so its reading ends.
    func rebuild(_ rebuilding: RebuildTicket) {
        let before = readings.withLock { readings in
            // The task begins under the lock: a quick one would otherwise be entered after its end.
            let task = Task {
                await read(rebuilding)
                ended(rebuilding)
            }
            return readings.updateValue(
                Reading(number: rebuilding.number, task: task), forKey: rebuilding.session)
        }
        before?.task.cancel()
    }

    /// Ends the reading of a session that left memory.
    func stop(_ session: SessionID) {
        let reading = readings.withLock { $0.removeValue(forKey: session) }
        reading?.task.cancel()
    }

    private func ended(_ rebuilding: RebuildTicket) {
        readings.withLock { readings in
            guard readings[rebuilding.session]?.number == rebuilding.number else { return }
            readings[rebuilding.session] = nil
        }
    }

    private func read(_ rebuilding: RebuildTicket) async {
        while !Task.isCancelled {
            do {
                guard try await isWritten(before: rebuilding.end) else { return }
                let part = try await pool.run(for: .device(rebuilding.device)) { [log] ticket in
                    try rebuilding.run(log.reader(), epoch: log.epoch) { ticket.isCancelled }
                }
                if let part { mailbox.post { $0.resume(rebuilding, with: part) } }
                return
            } catch ReadRefusal.tooMany, ReadRefusal.busy {
                // Other reads come first. A cancelled sleep means a cancelled task, which ends the
                // loop.
                try? await Task.sleep(for: Self.retryAfter)
            } catch ReadRefusal.cancelled {
                return  // The ticket is outdated, or the daemon stops.
            } catch {
                logger.error(
                    "a session cannot go on from the log: \(error)",
                    metadata: ["session": "\(rebuilding.session)"])
                mailbox.post { $0.giveUp(rebuilding) }
                return
            }
        }
    }

    /// Waits for records that are only in memory, because a reader would miss them. The wait ends
    /// when a failed disk recovers or the log closes.
    ///
    /// - Returns: `false`: the daemon stops; the next start continues from the recorded data.
    /// - Throws: ``ReadRefusal/busy``: too many wait.
    private func isWritten(before end: RecordOffset) async throws(ReadRefusal) -> Bool {
        let last = RecordOffset(rawValue: max(1, end.rawValue) - 1)
        switch await log.waitUntilWritten(through: last, onFailure: .keepWaiting) {
        case .reached: return true
        case .refused: throw .busy
        case .failed, .closed, .cancelled: return false
        }
    }
}
