import ArgumentParser
import Daemon
import Foundation
import Interchange
import SegmentLog
import SensorModel

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes a recorded session in another tool's format.")

    @OptionGroup var place: LogPlace
    @Argument(help: "The session's ID.") var session: String
    @Option(help: "csv, csv-motion, gpx, tcx, fit, ndjson or mcap.") var format: String
    @Option(help: "The file; standard output without it.") var output: String?

    func run() async throws {
        guard let format = ExportFormat(rawValue: format) else {
            throw CommandFailure(
                "\(self.format) is no format: use"
                    + " \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", "))",
                status: ExitStatus.wrongUse)
        }
        let id = try PushCommand.sessionID(session)
        let file = try openOutput()
        let exporter = SessionExporter(reader: try place.reader(), device: "pulsecast")
        try exporter.export(id, as: format) { Terminal.write($0, to: file) }
        try file.synchronize()
    }

    private func openOutput() throws -> FileHandle {
        guard let output else { return .standardOutput }
        let made = FileManager.default.createFile(
            atPath: output, contents: nil, attributes: [.posixPermissions: 0o600])
        guard made, let file = FileHandle(forWritingAtPath: output) else {
            throw CommandFailure("\(output) cannot be written: check its folder")
        }
        return file
    }
}
