import ArgumentParser
import Foundation

/// Exports all data of a device into files that need no Pulsecast to be read.
struct DeviceExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all there is of a device: profile, zones, links, audit, recordings.",
        discussion: """
            Example:
              pulsecast device export my-watch my-watch-files
            """)
    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var name: String
    @Argument(help: .value("folder", "A folder that does not exist yet.")) var folder: String

    private struct Session: Decodable {
        let id: String
    }

    private struct Share: Decodable {
        let name: String
        let device: String?
    }

    func run() async throws {
        let device = "/devices/" + segment(name)
        let profile = try await admin.ask("GET", device + "/profile")
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw CommandFailure("\(folder) is there already: name a folder that is not")
        }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try write(profile, "profile.json")
        try write(try await admin.ask("GET", device + "/zones"), "zones.json")
        // A device without a course gives 404, which is no failure here.
        if let course = try? await admin.ask("GET", device + "/course") {
            try write(course, "course.gpx")
        }
        let shares = try JSONDecoder().decode([Share].self, from: await admin.ask("GET", "/shares"))
            .filter { $0.device?.lowercased() == name.lowercased() }
        for share in shares {
            let path = "/shares/" + segment(share.name)
            try write(try await admin.ask("GET", path), "share \(share.name).json")
            try write(
                try await admin.ask("GET", path + "/opens"), "share \(share.name) opens.json")
        }
        let sessions = try JSONDecoder().decode(
            [Session].self, from: await admin.sessions([("device", name)], limit: nil).list)
        for session in sessions {
            let path = "/sessions/" + segment(session.id)
            try write(try await admin.ask("GET", path), "session \(session.id).json")
            try write(
                try await admin.ask("GET", path + "/export?format=ndjson"),
                "session \(session.id).ndjson")
        }
        Terminal.say("\(shares.count) link(s) and \(sessions.count) session(s) are in \(folder)")
    }

    private func write(_ data: Data, _ file: String) throws {
        let path = folder + "/" + file
        guard
            FileManager.default.createFile(
                atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(path) cannot be written: check the room on its disk") }
    }
}
