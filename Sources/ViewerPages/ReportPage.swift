/// A session as one file that needs no network.
public enum ReportPage {
    /// The files that are only ever put into a report.
    static let files: [(name: String, bytes: [UInt8])] = []
}
