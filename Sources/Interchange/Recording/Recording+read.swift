extension Recording {
    /// The bytes of what a person named: a file, or a folder's files by name.
    public enum Contents: Sendable {
        case file([UInt8])
        case folder([String: [UInt8]])
    }

    /// The files of a neutral folder that are read; no other needs loading.
    public static let neutralFileNames = ["imu.csv", "gps.csv", "hr.csv"]

    /// Finds out the format by content, with the name as a hint, and reads it.
    ///
    /// - Parameters:
    ///   - name: The file's or folder's own name, for messages and as the recording's last
    ///     resort of a name.
    ///   - contents: All of it.
    /// - Returns: At least one frame.
    /// - Throws: ``RecordingError``, whose description is one sentence for a person.
    public static func read(
        name: String, contents: Contents
    ) throws(RecordingError) -> Recording {
        throw .unknownFormat(name: name)
    }
}
