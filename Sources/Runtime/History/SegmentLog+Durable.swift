import SegmentLog
package import SensorModel

extension SegmentLog {
    /// Waits until a record is on disk, up to a limit.
    ///
    /// - Parameters:
    ///   - offset: Offset of a record that was appended and flushed.
    ///   - limit: Longest wait. The wait also ends if the log fails or closes, or the task is
    ///     cancelled.
    /// - Returns: `false`: the record is not known to be on disk.
    package func isDurable(through offset: RecordOffset, within limit: Duration) async -> Bool {
        guard durableEnd <= offset else { return true }
        return await withTaskGroup(of: LogWait.self) { group in
            group.addTask { await self.waitUntilDurable(through: offset, onFailure: .report) }
            group.addTask {
                // The sleep is cancelled once the log has answered.
                try? await Task.sleep(for: limit)
                return .cancelled
            }
            defer { group.cancelAll() }
            return await group.next() == .reached
        }
    }
}
