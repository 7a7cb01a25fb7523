import ArgumentParser
import Foundation
import Recordings
import Runtime
import SegmentLog
import SensorModel

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes a recorded session in another tool's format.",
        discussion: """
            Example:
              pulsecast export latest --format gpx --output run.gpx
            """)

    @OptionGroup var place: LogPlace
    @Argument(
        help: .value("session", "The session's ID, the first digits of it, or latest."),
        completion: .sessions)
    var session: String
    @Option(
        help: .value("name", "csv, csv-motion, gpx, tcx, fit, ndjson or mcap."),
        completion: .exportFormats)
    var format: String
    @Option(
        help: .value("path", "The file; standard output without it."), completion: .file())
    var output: String?

    func run() async throws {
        guard let format = ExportFormat(rawValue: format) else {
            throw CommandFailure(
                "\(self.format) is no format: use"
                    + " \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", "))",
                status: ExitStatus.wrongUse)
        }
        let (id, reader) = try place.session(named: session)
        let file = try output.map(Self.create) ?? .standardOutput
        let exporter = SessionExporter(reader: reader, device: "pulsecast")
        try exporter.export(id, as: format) { Terminal.write($0, to: file) }
        try file.synchronize()
    }

    /// Creates a file that only its owner can read.
    static func create(_ path: String) throws -> FileHandle {
        let made = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard made, let file = FileHandle(forWritingAtPath: path) else {
            throw CommandFailure("\(path) cannot be written: check its folder")
        }
        return file
    }
}
