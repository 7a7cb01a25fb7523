import Logging
import Replay
import SegmentLog
import SensorModel
import Sessions

/// Brings sessions of before a restart back into memory: reads on a thread of its own pool, so that a
/// watch that comes back waits for no viewer, and hands the outcome to the pipeline.
struct SessionRebuilder: Sendable {
    let log: SegmentLog
    let mailbox: PipelineMailbox
    let pool: ReadPool
    let logger: Logger

    private static let retryAfter = Duration.milliseconds(200)

    /// - Parameter rebuilding: Of a session in the pipeline's memory without processors.
    func rebuild(_ rebuilding: SessionRebuilding) {
        // Records that only memory holds would be missed; a failed disk comes back or the log ends.
        let last = RecordOffset(rawValue: max(1, rebuilding.end.rawValue) - 1)
        log.whenWritten(through: last, onFailure: .keepWaiting) { outcome in
            switch outcome {
            case .reached: Task { await read(rebuilding) }
            case .refused:
                Task {
                    try? await Task.sleep(for: Self.retryAfter)
                    rebuild(rebuilding)
                }
            // The daemon stops: the next start goes on from what is recorded.
            case .failed, .closed, .cancelled: break
            }
        }
    }

    private func read(_ rebuilding: SessionRebuilding) async {
        do {
            let read = try await pool.run(for: .device(rebuilding.device)) { _ in
                try rebuilding.run(log.reader(), epoch: log.epoch)
            }
            mailbox.post { $0.resume(rebuilding, from: read.rebuilt, views: read.views) }
        } catch ReadRefusal.tooMany, ReadRefusal.busy {
            // Others are read first.
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
