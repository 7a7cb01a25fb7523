import Logging
import SegmentLog
import SensorModel
import Sessions

/// Loads sessions from before a restart back into memory. It reads on a thread of its own pool, so
/// a watch that reconnects never waits for viewers. The result goes to the pipeline.
struct SessionRebuilder: Sendable {
    let log: SegmentLog
    let mailbox: PipelineMailbox
    let pool: ReadPool
    let logger: Logger

    private static let retryAfter = Duration.milliseconds(200)

    /// - Parameter rebuilding: Ticket of a session in the pipeline's memory without processors.
    func rebuild(_ rebuilding: RebuildTicket) {
        // Records that are only in memory would be missed: this waits until a failed disk recovers
        // or the log closes.
        let last = RecordOffset(rawValue: max(1, rebuilding.end.rawValue) - 1)
        log.whenWritten(through: last, onFailure: .keepWaiting) { outcome in
            switch outcome {
            case .reached: Task { await read(rebuilding) }
            case .refused:
                Task {
                    try? await Task.sleep(for: Self.retryAfter)
                    rebuild(rebuilding)
                }
            // The daemon stops: the next start continues from the recorded data.
            case .failed, .closed, .cancelled: break
            }
        }
    }

    private func read(_ rebuilding: RebuildTicket) async {
        do {
            let read = try await pool.run(for: .device(rebuilding.device)) { _ in
                try rebuilding.run(log.reader(), epoch: log.epoch)
            }
            mailbox.post { $0.resume(rebuilding, from: read.rebuilt, views: read.views) }
        } catch ReadRefusal.tooMany, ReadRefusal.busy {
            // Other reads come first.
            try? await Task.sleep(for: Self.retryAfter)
            await self.read(rebuilding)
        } catch ReadRefusal.cancelled {
            return  // The daemon stops.
        } catch {
            logger.error(
                "a session cannot go on from the log: \(error)",
                metadata: ["session": "\(rebuilding.session)"])
            mailbox.post { $0.giveUp(rebuilding) }
        }
    }
}
