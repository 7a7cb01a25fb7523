package import Recordings
package import SegmentLog
package import SensorModel
import WireFormat

/// Exports a recorded session to another format, part by part. Each part is read after the previous
/// one was taken, so a slow reader holds one part. Blocks on the disk.
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

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - format: Format of the file.
    ///   - device: The device's name, as given by the runner.
    ///   - log: Log that holds the session.
    ///   - isCancelled: Checked between records.
    /// - Throws: ``SessionReadError``, ``ReadRefusal/cancelled``
    package init(
        _ session: SessionID, as format: ExportFormat, device: String, log: SegmentLog,
        isCancelled: () -> Bool
    ) throws {
        self.session = session
        self.log = log
        let exporter = SessionExporter(reader: log.reader(), device: device)
        guard let recorded = try exporter.recordedSession(session, isCancelled: isCancelled) else {
            throw ReadRefusal.cancelled
        }
        export = SessionExport(format: format, session: recorded)
        next = export.readsFrames ? log.summary(of: session)?.firstOffset : nil
    }

    /// - Returns: The next bytes of the file; `nil` at its end.
    /// - Throws: ``SessionReadError``, ``ReadRefusal/cancelled``
    package mutating func nextPart(isCancelled: () -> Bool) throws -> [UInt8]? {
        guard !isFinished else { return nil }
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
        let end = try log.reader().read(from: start, session: session) { header, payload in
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
