import Replay
import SegmentLog
import SensorModel

extension LogReader {
    /// Every record of a session, in the order of the log. Blocks on the disk.
    ///
    /// - Throws: ``ReplayError``, also what `body` throws.
    func forEachRecord(
        of session: SessionID,
        _ body: (RecordHeader, Span<UInt8>) throws(ReplayError) -> Void
    ) throws(ReplayError) {
        guard let summary = summary(of: session) else { throw .unknownSession(session) }
        var failure: ReplayError?
        do throws(SegmentLogError) {
            try read(from: summary.firstOffset, session: session) { header, payload in
                do throws(ReplayError) {
                    try body(header, payload)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        } catch { throw .log(error) }
        if let failure { throw failure }
    }
}
