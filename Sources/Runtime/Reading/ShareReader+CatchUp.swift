import Logging
import SegmentLog
package import SensorModel
package import Sessions
import Sharing
package import Transport

extension ShareReader {
    /// Where something is hidden, the answer to a cursor of nothing shown comes in steps.
    ///
    /// - Returns: `nil` if too many requests wait.
    package func isShown(
        _ cursor: LogCursor, by sources: [CatchUp.Source], for party: ReadParty,
        from requester: ReadRequester
    ) async -> Bool? {
        let begin = ContinuousClock.now
        let isShown = await find(cursor, by: sources, for: party, from: requester)
        if isShown == false, sources.contains(where: { $0.rule != .everything }) {
            // A viewer that has left needs no answer.
            try? await AnswerStep.wait(since: begin)
        }
        return isShown
    }

    private func find(
        _ cursor: LogCursor, by sources: [CatchUp.Source], for party: ReadParty,
        from requester: ReadRequester
    ) async -> Bool? {
        // An offset beyond the log is invalid, but one that is not written yet may be this
        // viewer's.
        guard cursor.epoch == log.epoch else { return false }
        let isDelayed = sources.allSatisfy { $0.share.delaySeconds > 0 }
        if !isDelayed {
            guard cursor.offset < log.nextOffset || cursor.offset.rawValue == 0 else {
                return false
            }
            guard await isReadable(through: cursor.offset) else { return false }
        }
        do {
            return try await pool.run(for: party, from: requester) { ticket in
                let place = CursorPlace(log: log, now: clock()) { device, offset in
                    catalog.sessions(
                        of: device, around: offset, beyond: CursorPlace.endingsMax)
                }
                return try place.isShown(cursor, by: sources) {
                    session, rule throws(SegmentLogError) in
                    try records(of: session, by: rule, ticket)
                }
            }
        } catch is ReadRefusal {
            return nil
        } catch {
            logger.error("a cursor cannot be looked up: \(error)")
            return false
        }
    }

    /// - Returns: `nil`: it cannot be read.
    package func nextPart(
        of catchUp: CatchUp, for party: ReadParty, from requester: ReadRequester
    ) async -> (catchUp: CatchUp, events: [EncodedEvent])? {
        guard await isReadable(through: catchUp.needed) else { return nil }
        do {
            return try await pool.run(for: party, from: requester) { ticket in
                var catchUp = catchUp
                let part = try catchUp.nextPart(at: clock()) {
                    session, rule throws(SegmentLogError) in
                    try records(of: session, by: rule, ticket)
                }
                guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
                return (catchUp, part.map { EncodedEvent(cursor: $0.cursor, json: $0.json) })
            }
        } catch ReadRefusal.cancelled {
            return nil  // The viewer left, or the daemon stops.
        } catch {
            logger.error("missed events cannot be read: \(error)")
            return nil
        }
    }
}
