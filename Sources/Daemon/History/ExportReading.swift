import Interchange
import Replay
import SegmentLog
import SensorModel
import WireFormat

/// A recorded session as a file of another format, made part by part: a part is read when the one
/// before it was taken, so a slow reader holds one. Blocks on the disk.
struct ExportReading: Sendable {
    private static let partBytes = 64 << 10
    /// Between two looks at what has been made.
    private static let framesMax = 512

    private let session: SessionID
    private let log: SegmentLog
    private var export: SessionExport
    /// Where the frames go on; `nil`: all that the format wants are in.
    private var next: RecordOffset?
    private var isFinished = false

    /// - Parameters:
    ///   - session: In the log.
    ///   - format: Of the file.
    ///   - device: Its name, as the runner calls it.
    ///   - log: Where it is.
    ///   - isCancelled: Asked between records.
    /// - Throws: ``ReplayError``, ``ReadRefusal/cancelled``
    init(
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
    /// - Throws: ``ReplayError``, ``ReadRefusal/cancelled``
    mutating func nextPart(isCancelled: () -> Bool) throws -> [UInt8]? {
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

    /// - Returns: Where the next are; `nil` at the session's end.
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
