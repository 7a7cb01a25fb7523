extension Recording {
    /// The bytes of a file, or of a folder's files by name.
    public enum Contents: Sendable {
        case file([UInt8])
        case folder([String: [UInt8]])
    }

    /// The files read from a neutral folder; other files need not be loaded.
    public static let neutralFileNames = ["imu.csv", "gps.csv", "hr.csv"]

    /// Detects the format by content, with the name as a hint, and reads it.
    ///
    /// - Parameters:
    ///   - name: The file's or folder's own name, for messages.
    ///   - contents: All bytes.
    ///   - itemsMax: Maximum number of values to hold; a file with more is refused.
    /// - Returns: The recording, with at least one frame.
    /// - Throws: ``RecordingError``, whose description is one sentence for a person.
    public static func read(
        name: String, contents: Contents, itemsMax: Int = .max
    ) throws(RecordingError) -> Recording {
        switch contents {
        case .folder(let files):
            guard neutralFileNames.contains(where: { files[$0] != nil }) else {
                throw .folderWithoutRecordings(name: name)
            }
            return try NeutralReader.read(files, itemsMax)
        case .file(let bytes):
            guard !bytes.isEmpty else { throw .emptyFile(name: name) }
            guard bytes.count <= fileBytesMax else {
                throw .tooLarge(name: name, megabytesMax: fileBytesMax >> 20)
            }
            return try readFile(name: name, bytes, itemsMax)
        }
    }

    /// Maximum size: a day of GPX at 1 Hz is 30 MB, three hours of motion at 100 Hz are 40 MB.
    static let fileBytesMax = 1 << 30

    private static func readFile(
        name: String, _ bytes: [UInt8], _ itemsMax: Int
    ) throws(RecordingError) -> Recording {
        if FITDecoder.recognizes(bytes) { return try FITRecordingReader.read(bytes, itemsMax) }
        let head = String(decoding: bytes.prefix(4096), as: UTF8.self).drop {
            $0.isWhitespace || $0 == "\u{FEFF}"
        }
        if head.hasPrefix("<") {
            if head.contains("<TrainingCenterDatabase") {
                return try TCXReader.read(bytes, itemsMax)
            }
            if head.contains("<gpx") || head.contains(":gpx") {
                return try GPXReader.read(bytes, itemsMax)
            }
        }
        if head.hasPrefix("{") { return try NDJSONReader.read(bytes, itemsMax) }
        let table = CSVTable(bytes)
        if MotionCSV.recognizes(table.columns) { return try MotionCSV.read(table, itemsMax) }
        for (columns, file) in zip(
            [["t_s", "ax"], ["t_s", "lat"], ["t_s", "bpm"]], neutralFileNames)
        where table.columns.starts(with: columns) {
            return try NeutralReader.read([file: bytes], itemsMax)
        }
        if CSVReader.recognizes(table.columns) { return try CSVReader.read(table, itemsMax) }
        // The name shows the intended format, so that format's reader can describe the error.
        switch name.split(separator: ".").last?.lowercased() {
        case "fit": throw .malformed(.fit, byte: 0, problem: "no FIT header")
        case "gpx": throw .malformed(.gpx, byte: 0, problem: "no gpx element")
        case "tcx": throw .malformed(.tcx, byte: 0, problem: "no TrainingCenterDatabase element")
        default: throw .unknownFormat(name: name)
        }
    }
}
