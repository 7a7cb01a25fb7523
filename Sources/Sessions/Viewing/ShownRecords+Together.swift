package import SegmentLog
package import SensorModel
package import Sharing

extension ShownRecords {
    /// One session's part of a reading of several.
    package struct Part: Sendable {
        package let session: SessionID
        /// Moved after the taken events.
        package var position: Position
        /// Later arrivals are still held back from the share; `nil`: none are.
        let arrivedBy: Timestamp?
        /// The session's last record.
        let last: RecordOffset

        /// - Parameters:
        ///   - session: A session whose rule holds nothing back.
        ///   - position: Where to go on.
        ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
        ///   - last: The session's last record.
        package init(
            session: SessionID, position: Position, arrivedBy: Timestamp?, last: RecordOffset
        ) {
            self.session = session
            self.position = position
            self.arrivedBy = arrivedBy
            self.last = last
        }
    }

    /// Visits the shown events of several sessions in one pass over the log, so that the records
    /// between them are passed once and not once a session; where none of them has records, nothing
    /// is read. Each session shows what it would show if read by itself. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - parts: The sessions; a session may be there several times.
    ///   - reader: Reader of the log.
    ///   - now: Arrival clock, up to which time alone may decide: see ``LogReader/decidable(at:)``,
    ///     which must come before the last records of the parts were asked for.
    ///   - isCancelled: Called between records; `true` ends the reading. The parts may be continued.
    ///   - body: Receives the index of a part, and its next shown event.
    /// - Returns: Whether it is complete. Otherwise it was cancelled, or some records cannot be read,
    ///   and each session must be read by itself.
    /// - Throws: ``SegmentLogError``
    package static func read(
        together parts: inout [Part], reader: LogReader, now: Timestamp,
        isCancelled: () -> Bool, _ body: (Int, ShownEvent) -> Void
    ) throws(SegmentLogError) -> Bool {
        var active = giveFound(of: &parts, body)
        guard let first = active.values.joined().map({ parts[$0].position.next }).min(),
            let last = active.values.joined().map({ parts[$0].last }).max()
        else { return true }
        var isWhole = true
        var shown: [ShownEvent] = []
        guard let extents = reader.extents(of: active.keys, from: first, through: last) else {
            return false
        }
        for extent in extents where isWhole && !active.isEmpty {
            try reader.read(
                from: extent.lowerBound, until: extent.upperBound,
                gap: { if SessionProjection.Mark($0) != nil { isWhole = false } }
            ) { header, payload in
                guard isWhole, !isCancelled() else {
                    isWhole = false
                    return false
                }
                guard let wanted = active[header.session] else { return true }
                for index in wanted where header.offset >= parts[index].position.next {
                    let arrivedBy = parts[index].arrivedBy
                    let ending = parts[index].position.take(
                        header, payload, arrivedBy: arrivedBy, using: &shown
                    ) { event in
                        body(index, event)
                        return true
                    }
                    if ending != nil {
                        let left = active[header.session]?.filter { $0 != index } ?? []
                        active[header.session] = left.isEmpty ? nil : left
                    }
                }
                return !active.isEmpty
            }
        }
        guard isWhole else { return false }
        for index in active.values.joined() {
            let arrivedBy = parts[index].arrivedBy
            _ = parts[index].position.advance(to: now, arrivedBy: arrivedBy, using: &shown) {
                event in
                body(index, event)
                return true
            }
        }
        return true
    }

    /// Visits what was found before and could not be shown yet.
    ///
    /// - Returns: The parts of each session that may show more.
    private static func giveFound(
        of parts: inout [Part], _ body: (Int, ShownEvent) -> Void
    ) -> [SessionID: [Int]] {
        var active: [SessionID: [Int]] = [:]
        for index in parts.indices {
            let arrivedBy = parts[index].arrivedBy
            let ending = parts[index].position.give(arrivedBy: arrivedBy) { event in
                body(index, event)
                return true
            }
            if ending == nil { active[parts[index].session, default: []].append(index) }
        }
        return active
    }
}
