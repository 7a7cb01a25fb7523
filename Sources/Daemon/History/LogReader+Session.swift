import Replay
import SegmentLog
import SensorModel

extension LogReader {
    /// Every record of a session, in the order of the log. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - isCancelled: Asked between records; `true` ends the reading.
    ///   - body: Gets each record, its payload valid during the call.
    /// - Returns: `false` when it was cancelled.
    /// - Throws: ``ReplayError``, also what `body` throws.
    @discardableResult
    func forEachRecord(
        of session: SessionID, isCancelled: () -> Bool = { false },
        _ body: (RecordHeader, Span<UInt8>) throws(ReplayError) -> Void
    ) throws(ReplayError) -> Bool {
        guard let summary = summary(of: session) else { throw .unknownSession(session) }
        var failure: ReplayError?
        var isOver = false
        do throws(SegmentLogError) {
            try read(from: summary.firstOffset, session: session) { header, payload in
                guard !isCancelled() else {
                    isOver = true
                    return false
                }
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
        return !isOver
    }
}
