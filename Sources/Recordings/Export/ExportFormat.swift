/// Formats of `export --format`.
public enum ExportFormat: String, CaseIterable, Sendable {
    case csv
    case motionCSV = "csv-motion"
    case gpx, tcx, fit, ndjson, mcap

    /// File extension without a dot.
    public var fileExtension: String {
        switch self {
        case .csv, .motionCSV: "csv"
        case .gpx, .tcx, .fit, .ndjson, .mcap: rawValue
        }
    }

    /// Whether the file's start depends on the whole session: its columns, start, end, or sensor in
    /// use. The others are written as the frames are read, however many there are.
    public var readsRows: Bool { self != .motionCSV }

    /// Whether the file has the measured points; others have one row a second, or the frames.
    public var hasPoints: Bool {
        switch self {
        case .gpx, .tcx, .fit: true
        case .csv, .motionCSV, .ndjson, .mcap: false
        }
    }

    /// Maximum bytes of the file's text for each row or point: a position, a heart rate, a cadence
    /// and a power. 0 for a file that is written part by part.
    var textBytesEach: Int {
        switch self {
        case .csv: 192
        case .gpx: 384
        case .tcx: 512
        case .fit: 64
        case .motionCSV, .ndjson, .mcap: 0
        }
    }

    public var contentType: String {
        switch self {
        case .csv, .motionCSV: "text/csv; charset=utf-8"
        case .gpx: "application/gpx+xml"
        case .tcx: "application/vnd.garmin.tcx+xml"
        case .fit: "application/vnd.ant.fit"
        case .ndjson: "application/x-ndjson"
        case .mcap: "application/octet-stream"
        }
    }
}
