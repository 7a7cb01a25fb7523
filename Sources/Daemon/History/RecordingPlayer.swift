import Logging
import Replay
import SegmentLog
import SensorModel
import Sharing
import Transport
import WireFormat

/// Reads one share's recording from a moment on, in the form of live events. Blocks on the disk.
struct RecordingPlayer: Sendable {
    /// A recorded event, ready to be sent at its time.
    struct Item: Sendable {
        var deviceTime: Timestamp
        var offset: RecordOffset
        var event: EncodedEvent
    }

    static let batchMax = 256

    let log: SegmentLog
    let share: Share
    let session: SessionID
    let privacy: PrivacySettings
    let runnerName: String?

    /// The snapshot at a moment: every latched value as it was then.
    ///
    /// - Parameters:
    ///   - time: Device time; before the session's start it means the start.
    ///   - now: Arrival clock; what the share's delay still holds back is not shown.
    /// - Returns: The snapshot and the last offset in it; `nil` when there is nothing to show.
    /// - Throws: ``SegmentLogError`` when the log cannot be read.
    func snapshot(
        at time: Timestamp, now: Timestamp
    ) throws -> (event: EncodedEvent, offset: RecordOffset)? {
        guard let summary = log.summary(of: session) else { return nil }
        var fields = SessionFields(session: session, epoch: log.epoch, privacy: privacy)
        var last: RecordOffset?
        let reader = log.reader()
        let arrivedBy = share.shownArrivals(at: now)
        // What a zone hides depends on the way into it, and what a delay holds back may be in a
        // snapshot: then there is no short cut.
        let start =
            privacy.hidesNothing && arrivedBy == nil
            ? try reader.newest(.snapshot, of: session, notAfter: time) : nil
        var broken: RecordRefusal?
        try reader.read(from: start ?? summary.firstOffset, session: session) { header, payload in
            if let arrivedBy, header.arrivalTime > arrivedBy { return false }
            do {
                if header.offset == start, header.type == .snapshot {
                    for event in try SnapshotCodec.decode(payload) {
                        _ = fields.take(event, at: header.offset)
                    }
                    last = header.offset
                } else if header.type == .metric || header.type == .event {
                    let event = try StreamEventCodec.decode(payload)
                    guard event.deviceTime <= time || last == nil else { return false }
                    _ = fields.take(event, at: header.offset)
                    last = header.offset
                }
                return true
            } catch {
                broken = error as? RecordRefusal ?? .unknownValue
                return false
            }
        }
        guard broken == nil, let last else { return nil }
        return (encoded(fields, at: last), last)
    }

    /// What follows an offset and the share's delay does not hold back at `now`, at most
    /// ``batchMax`` items.
    func items(
        after offset: RecordOffset, from view: inout HistoryView, now: Timestamp
    ) throws -> [Item] {
        var view = view
        var items: [Item] = []
        let arrivedBy = share.shownArrivals(at: now)
        try log.reader().read(from: offset, session: session) { header, payload in
            if let arrivedBy, header.arrivalTime > arrivedBy { return false }
            guard header.type == .metric || header.type == .event, header.offset > offset else {
                return true
            }
            guard items.count < Self.batchMax else { return false }
            guard let event = try? StreamEventCodec.decode(payload),
                let json = view.item(of: event, at: header.offset)
            else { return true }  // one unreadable record does not end the show
            items.append(
                Item(
                    deviceTime: event.deviceTime, offset: header.offset,
                    event: EncodedEvent(
                        cursor: LogCursor(epoch: log.epoch, offset: header.offset), json: json)))
            return true
        }
        return items
    }

    var view: HistoryView {
        HistoryView(
            epoch: log.epoch, scope: share.scope, privacy: privacy, runnerName: runnerName)
    }

    private func encoded(_ fields: SessionFields, at offset: RecordOffset) -> EncodedEvent {
        let cursor = LogCursor(epoch: log.epoch, offset: offset)
        var undelayed = share
        undelayed.delaySeconds = 0
        let everything = fields.everything
        var view = ShareView(undelayed, cursor: cursor, at: everything.time)
        _ = view.take(everything, at: everything.time)
        let feed = FeedTable().open(
            share.key, runnerName: share.runnerName, snapshot: view.snapshot)
        let message = feed.snapshotMessage(
            resumedAt: cursor, place: runnerName == nil ? .alone : .inGroup)
        return EncodedEvent(cursor: cursor, json: message.json)
    }
}
