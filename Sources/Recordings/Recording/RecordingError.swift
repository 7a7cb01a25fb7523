/// The reason why a file cannot be played, in one sentence for its owner.
public enum RecordingError: Error, Hashable, Sendable {
    case unknownFormat(name: String)
    case emptyFile(name: String)
    /// The format was recognized, but the content violates it.
    case malformed(RecordingFormat, byte: Int, problem: String)
    /// The file is well-formed, but has no position, heart rate or motion.
    case nothingToPlay(RecordingFormat)
    case tooLarge(name: String, megabytesMax: Int)
    /// The file has more values than the caller has room for.
    case tooMuch(RecordingFormat, itemsMax: Int)
    case folderWithoutRecordings(name: String)
}

extension RecordingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownFormat(let name):
            """
            \(name) is not a recording this program reads: FIT, GPX, TCX, our CSV or NDJSON, \
            motion CSV, or a folder with imu.csv, gps.csv or hr.csv.
            """
        case .emptyFile(let name):
            "\(name) is empty."
        case .malformed(let format, let byte, let problem):
            "Not a readable \(format.name) file: \(problem) at byte \(byte)."
        case .nothingToPlay(let format):
            "The \(format.name) recording holds no position, heart rate or motion with a time."
        case .tooLarge(let name, let megabytesMax):
            "\(name) is too large to read: at most \(megabytesMax) MB."
        case .tooMuch(let format, let itemsMax):
            "The \(format.name) recording holds over \(itemsMax) values; pulsecast push takes all."
        case .folderWithoutRecordings(let name):
            "The folder \(name) holds none of imu.csv, gps.csv and hr.csv."
        }
    }
}
