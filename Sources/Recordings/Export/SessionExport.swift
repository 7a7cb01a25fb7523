public import SensorModel

/// Exports one session into one file of another format.
///
///     var export = SessionExport(format: .mcap, session: session)
///     if export.readsFrames {
///         for each recorded frame { export.append(…); write(export.takeBytes()) }
///     }
///     export.finish()
///     write(export.takeBytes())
///
/// Pure: bytes out, no file. Memory stays small as long as the bytes are taken.
public struct SessionExport: Sendable {
    public let format: ExportFormat
    private var writer: Writer

    /// Formats that need frames keep a writer; the others are written at once from the session.
    private enum Writer: Sendable {
        case bytes([UInt8])
        case motionCSV(MotionCSVWriter)
        case ndjson(NDJSONWriter)
        case mcap(MCAPSession)
    }

    /// An export of motion alone, which needs nothing but the frames.
    public static var motion: SessionExport {
        SessionExport(format: .motionCSV, writer: .motionCSV(MotionCSVWriter()), heldBytes: 0)
    }

    private init(format: ExportFormat, writer: Writer, heldBytes: Int) {
        self.format = format
        self.writer = writer
        self.heldBytes = heldBytes
    }

    /// Maximum memory in bytes for making the file, besides the session's own.
    public static func bytesMax(
        of format: ExportFormat, _ session: RecordedSession
    ) -> Int {
        max(session.points.count, session.seconds.count) * format.textBytesEach
    }

    public init(format: ExportFormat, session: RecordedSession) {
        self.format = format
        var rows = session
        rows.points = []
        writer =
            switch format {
            case .csv: .bytes(CSVWriter.bytes(session))
            case .gpx: .bytes(GPXWriter.bytes(session))
            case .tcx: .bytes(TCXWriter.bytes(session))
            case .fit: .bytes(FITWriter.bytes(session))
            case .motionCSV: .motionCSV(MotionCSVWriter())
            case .ndjson: .ndjson(NDJSONWriter(rows))
            case .mcap: .mcap(MCAPSession(rows))
            }
        heldBytes =
            switch writer {
            case .bytes(let bytes): bytes.count
            case .motionCSV: 0
            // The rows, and the bytes written from them at the end.
            case .ndjson, .mcap: 2 * rows.bytes
            }
    }

    /// Memory in bytes that the export holds until it is finished: the session's rows, or the file
    /// if it is made at once.
    public let heldBytes: Int

    /// Whether the format needs ``append(_:arrivalTime:)``; others are written from the session.
    public var readsFrames: Bool {
        switch writer {
        case .motionCSV, .ndjson, .mcap: true
        case .bytes: false
        }
    }

    /// Appends a frame, in the order of the log.
    public mutating func append(_ frame: Frame, arrivalTime: Timestamp) {
        switch writer {
        case .bytes:
            break
        case .motionCSV(var rows):
            writer = .bytes([])
            rows.append(frame)
            writer = .motionCSV(rows)
        case .ndjson(var lines):
            writer = .bytes([])
            lines.append(frame, arrivalTime: arrivalTime)
            writer = .ndjson(lines)
        case .mcap(var messages):
            writer = .bytes([])
            messages.append(frame, arrivalTime: arrivalTime)
            writer = .mcap(messages)
        }
    }

    /// Completes the file. The caller calls it once, after the last frame.
    public mutating func finish() {
        switch writer {
        case .bytes, .motionCSV:
            break
        case .ndjson(var lines):
            writer = .bytes([])
            lines.finish()
            writer = .ndjson(lines)
        case .mcap(var messages):
            writer = .bytes([])
            messages.finish()
            writer = .mcap(messages)
        }
    }

    /// Returns the bytes produced since the last call.
    public mutating func takeBytes() -> [UInt8] {
        let taken: [UInt8]
        switch writer {
        case .bytes(let bytes):
            taken = bytes
            writer = .bytes([])
        case .motionCSV(var rows):
            taken = rows.takeBytes()
            writer = .motionCSV(rows)
        case .ndjson(var lines):
            taken = lines.takeBytes()
            writer = .ndjson(lines)
        case .mcap(var messages):
            taken = messages.takeBytes()
            writer = .mcap(messages)
        }
        return taken
    }
}
