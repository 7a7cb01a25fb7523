public import SegmentLog
public import SensorModel
public import Sessions
import Sharing
import ViewerPages
import WireFormat

/// Exports a recorded session as one HTML file that needs no network. Blocks on the disk.
///
/// The file is for the owner: it also shows positions that privacy zones hide from viewers.
public struct SessionReporter: Sendable {
    private let reader: LogReader

    private static let listHeadBytes = 48
    /// Bytes of a row and its numbers in the document.
    private static let rowBytes = MemoryLayout<ReportRow>.stride + 96

    public init(reader: LogReader) {
        self.reader = reader
    }

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - title: Title of the report.
    /// - Returns: The document, UTF-8.
    /// - Throws: ``SessionReadError``
    public func html(
        of session: SessionID, title: String
    ) throws(SessionReadError) -> [UInt8] {
        // Only a cancellation gives `nil`.
        try html(of: session, title: title, isCancelled: { false }) ?? []
    }

    /// Returns the report, unless it is cancelled or has no room.
    ///
    /// - Parameters:
    ///   - session: Session in the log.
    ///   - title: Title of the report.
    ///   - hasRoom: Called with the bytes of memory so far; `false` ends the reading.
    ///   - isCancelled: Checked between records.
    /// - Returns: `nil` when it was cancelled, or has no room.
    /// - Throws: ``SessionReadError``
    package func html(
        of session: SessionID, title: String, hasRoom: (Int) -> Bool = { _ in true },
        isCancelled: () -> Bool
    ) throws(SessionReadError) -> [UInt8]? {
        let epoch = reader.epoch ?? 0
        var fields = SessionFields(session: session, epoch: epoch)
        let encoder = HistoryEncoder(epoch: epoch, scope: .all)
        var events: [[UInt8]] = []
        var rows: [ReportRow] = []
        var eventBytes = 0
        var isFull = false
        let isWhole = try reader.forEachRecord(
            of: session, isCancelled: { isFull || isCancelled() }
        ) { header, payload throws(SessionReadError) in
            guard header.type == .metric || header.type == .event else { return }
            do throws(RecordRefusal) {
                let event = try StreamEventCodec.decode(payload)
                _ = fields.take(event, at: header.offset)
                if case .metrics(let metrics) = event.kind {
                    Self.add(ReportRow(metrics, at: event.deviceTime), to: &rows)
                } else if let item = encoder.item(of: event, at: header.offset) {
                    events.append(item)
                    eventBytes += Self.listHeadBytes + item.count
                }
            } catch { throw .unreadableRecord(header.offset, error) }
            isFull = !hasRoom(rows.count * Self.rowBytes + 2 * eventBytes)
        }
        guard isWhole, !isFull else { return nil }
        let everything = fields.everything
        let snapshot = FeedSnapshot(
            cursor: everything.cursor, time: everything.time, session: session,
            fields: everything.changed.filter { $0.visibility.contains(.all) })
        return ReportPage.html(
            title: title, snapshot: SnapshotEncoder.object(snapshot), events: events, rows: rows)
    }

    /// Adds a row; the last row of a second replaces the earlier ones.
    private static func add(_ row: ReportRow, to rows: inout [ReportRow]) {
        if let last = rows.last, last.time.rounded(.down) == row.time.rounded(.down) {
            rows[rows.count - 1] = row
        } else {
            rows.append(row)
        }
    }
}

extension ReportRow {
    /// A value that is not live becomes a gap in the chart.
    fileprivate init(_ metrics: Metrics, at time: Timestamp) {
        self.init(time: time.secondsSince1970)
        isPaused = metrics.autoPaused || metrics.manuallyPaused
        if let heartRate = metrics.heartRate, heartRate.state == .live {
            beatsPerMinute = heartRate.beatsPerMinute
            zone = heartRate.zone
        }
        if !isPaused {
            speedMetersPerSecond =
                metrics.paceSecondsPerKm.flatMap { $0 > 0 ? 1000 / $0 : nil }
                ?? metrics.speedMetersPerSecond
            if metrics.cadence?.state == .live {
                stepsPerMinute = metrics.cadence?.stepsPerMinute
            }
        }
        distanceMeters = metrics.distanceMeters
        if let position = metrics.position, position.state == .live {
            altitudeMeters = position.altitudeMeters
            latitude = position.latitude
            longitude = position.longitude
        }
    }
}
