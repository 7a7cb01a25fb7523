public import SensorModel

/// One session on its way into one file of another format.
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

    public init(format: ExportFormat, session: RecordedSession) {
        self.format = format
    }

    /// Whether ``append(_:arrivalTime:)`` adds anything; the other formats are made of points.
    public var readsFrames: Bool {
        switch format {
        case .motionCSV, .ndjson, .mcap: true
        case .csv, .gpx, .tcx, .fit: false
        }
    }

    /// In the order of the log.
    public mutating func append(_ frame: Frame, arrivalTime: Timestamp) {
    }

    public mutating func finish() {
    }

    /// What has been made since the last call.
    public mutating func takeBytes() -> [UInt8] {
        []
    }
}
