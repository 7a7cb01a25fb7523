package import Registry
package import SegmentLog
package import SensorModel
import Sessions

extension Pipeline {
    /// Removes old segments, and the results of sessions of which nothing is left. Blocks on the
    /// disk.
    ///
    /// - Parameters:
    ///   - arrivalBefore: Segments whose records all arrived earlier are removed; `nil`: none.
    ///   - bytesMax: Greatest size of the log; `nil`: any.
    ///   - failed: Called when the registry cannot delete results.
    /// - Returns: What was removed from the disk, or the first error.
    package func retain(
        arrivalBefore: Timestamp?, bytesMax: Int?, failed: (RegistryError) -> Void
    ) -> Result<Erasure, SegmentLogError> {
        let due = log.dueForRetention(arrivalBefore: arrivalBefore, bytesMax: bytesMax)
        if case .failure(let error) = results.beginRemoving(due.sessions) { failed(error) }
        defer { results.endRemoving(due.sessions) }
        let result = Result { () throws(SegmentLogError) in try log.retain(due) }
        // Also after an error, because the log may have lost part of what was due.
        if !due.isEmpty { catalog.reload() }
        return result
    }

    /// Applies a changed size limit of the log, which also bounds how much a device may add.
    package func limitLog(mebibytesPerDay: Int, retentionBytes: Int?) {
        mailbox.post {
            $0.flow.limitLog(mebibytesPerDay: mebibytesPerDay, retentionBytes: retentionBytes)
        }
    }
}
