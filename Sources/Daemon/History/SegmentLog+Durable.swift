import SegmentLog
import SensorModel

extension SegmentLog {
    /// Whether a record is on disk, or gets there in time.
    ///
    /// - Parameters:
    ///   - offset: Appended and flushed.
    ///   - limit: The wait ends after it, and earlier where the log fails or is closed, or the task
    ///     is cancelled.
    /// - Returns: `false`: it is not known to be there.
    func isDurable(through offset: RecordOffset, within limit: Duration) async -> Bool {
        guard durableEnd <= offset else { return true }
        return await withTaskGroup(of: LogWait.self) { group in
            group.addTask { await self.waitUntilDurable(through: offset, onFailure: .report) }
            group.addTask {
                // Cut short once the log has answered.
                try? await Task.sleep(for: limit)
                return .cancelled
            }
            defer { group.cancelAll() }
            return await group.next() == .reached
        }
    }
}
