import ArgumentParser
import Foundation
import Recordings

/// Exports all data of a device into an archive that needs no Pulsecast to be read.
struct DeviceExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all there is of a device into a ZIP archive.",
        discussion: """
            The archive has the profile, zones, links with their openings, groups, receivers and \
            targets, and each recording as a file.

            Example:
              pulsecast device export my-watch my-watch.zip
            """)
    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var name: String
    @Argument(help: .value("file", "A file that does not exist yet."), completion: .file())
    var file: String
    @Option(
        help: .value("name", "Format of the recordings; ndjson, the default, has every value."),
        completion: .exportFormats)
    var format = ExportFormat.ndjson.rawValue

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("\(file) is there already: name a file that is not")
        }
        let bytes = try await admin.save(
            "/devices/\(segment(name))/archive?format=\(segment(format))", to: file)
        Terminal.say("\(file) has all there is of \(name), in \(bytes) bytes")
    }
}
