import SegmentLog
import SensorModel
import Sessions

extension LogReader {
    /// Reads every record of a session, in the order of the log. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - session: Session in the log.
    ///   - isCancelled: Checked between records; `true` ends the reading.
    ///   - body: Receives each record; its payload is valid during the call.
    /// - Returns: `false` when it was cancelled.
    /// - Throws: ``SessionReadError``, also errors of `body`.
    @discardableResult
    func forEachRecord(
        of session: SessionID, isCancelled: () -> Bool = { false },
        _ body: (RecordHeader, Span<UInt8>) throws(SessionReadError) -> Void
    ) throws(SessionReadError) -> Bool {
        guard let summary = summary(of: session) else { throw .unknownSession(session) }
        var failure: SessionReadError?
        var isOver = false
        do throws(SegmentLogError) {
            try read(summary) { header, payload in
                guard !isCancelled() else {
                    isOver = true
                    return false
                }
                do throws(SessionReadError) {
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
