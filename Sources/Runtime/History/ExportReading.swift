package import Recordings
package import SegmentLog
package import SensorModel
import Sessions
import WireFormat

/// Exports a recorded session to another format, part by part. Each part is read after the previous
/// one was taken. Its memory comes from a budget. Blocks on the disk.
package struct ExportReading: Sendable {
    private static let partBytes = 64 << 10
    /// Frames appended before the output is checked again.
    private static let framesMax = 512

    private let session: SessionID
    private let log: SegmentLog
    private var export: SessionExport
    /// Offset of the next frames; `nil`: the format has all frames it needs.
    private var next: RecordOffset?
    private var isFinished = false
    /// Encoded bytes that the caller has not taken yet.
    private var rest: ArraySlice<UInt8> = []
    private let reservation: ExportBudget.Reservation

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - format: Format of the file.
    ///   - device: The device's name, as given by the runner.
    ///   - name: The session's name; `nil`: none.
    ///   - log: Log that holds the session.
    ///   - reservation: Reserved memory, held until the reading is released.
    ///   - isCancelled: Checked between records.
    /// - Throws: ``SessionReadError``, ``ReadRefusal``
    package init(
        _ session: SessionID, as format: ExportFormat, device: String, name: String? = nil,
        log: SegmentLog, reservation: ExportBudget.Reservation, isCancelled: () -> Bool
    ) throws {
        self.session = session
        self.log = log
        self.reservation = reservation
        let exporter = SessionExporter(reader: log.reader(), device: device, name: name)
        export = try reservation.reading { hasRoom in
            try exporter.begin(session, as: format, hasRoom: hasRoom, isCancelled: isCancelled)
        }
        if let refusal = reservation.take(export.heldBytes) { throw refusal }
        let summary = try requireSession()
        next = export.readsFrames ? summary.firstOffset : nil
    }

    /// Throws if the session was erased meanwhile; otherwise a partial file would pass for a whole
    /// one.
    @discardableResult
    private func requireSession() throws -> SessionSummary {
        guard let summary = log.summary(of: session) else {
            throw SessionReadError.unknownSession(session)
        }
        return summary
    }

    /// - Returns: The next bytes of the file; `nil` at its end.
    /// - Throws: ``SessionReadError``, also when the session is erased meanwhile;
    ///   ``ReadRefusal/cancelled``
    package mutating func nextPart(isCancelled: () -> Bool) throws -> [UInt8]? {
        try requireSession()
        if rest.isEmpty, !isFinished { rest = try read(isCancelled: isCancelled)[...] }
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(Self.partBytes) }
        return Array(rest.prefix(Self.partBytes))
    }

    /// - Returns: The bytes of at least one part, or of the rest of the file.
    private mutating func read(isCancelled: () -> Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < Self.partBytes, let from = next {
            guard !isCancelled() else { throw ReadRefusal.cancelled }
            next = try appendFrames(from: from, isCancelled: isCancelled)
            bytes += export.takeBytes()
        }
        guard next == nil else { return bytes }
        isFinished = true
        export.finish()
        return bytes + export.takeBytes()
    }

    /// - Returns: Offset of the next frames; `nil` at the session's end.
    private mutating func appendFrames(
        from start: RecordOffset, isCancelled: () -> Bool
    ) throws -> RecordOffset? {
        var frames = 0
        var failure: (any Error)?
        // Less is read than up to the end of the log: a segment may have thousands of sessions.
        let last = try requireSession().lastOffset
        let end = try log.reader().read(
            from: start, until: RecordOffset(rawValue: last.rawValue + 1), session: session
        ) { header, payload in
            guard !isCancelled() else {
                failure = ReadRefusal.cancelled
                return false
            }
            guard case .frame(let kind) = header.type else { return true }
            do {
                let frame = try SessionExporter.frame(kind, header, payload)
                export.append(frame, arrivalTime: header.arrivalTime)
            } catch {
                failure = error
                return false
            }
            frames += 1
            return frames < Self.framesMax
        }
        if let failure { throw failure }
        return frames == Self.framesMax ? end : nil
    }
}
