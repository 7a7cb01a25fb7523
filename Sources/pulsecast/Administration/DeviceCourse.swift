import ArgumentParser
import Foundation

/// The course that a device's runner means to follow.
struct DeviceCourse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "course", abstract: "Sets the course that a device's runner follows.",
        subcommands: [Put.self, Show.self, Remove.self])

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Sets the course from a GPX file; its waypoints become checkpoints.",
            discussion: """
                Example:
                  pulsecast device course set my-watch marathon.gpx
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(
            help: .value("file", "A GPX file with a route or a track."),
            completion: .file(extensions: ["gpx"]))
        var file: String

        func run() async throws {
            guard let gpx = FileManager.default.contents(atPath: file) else {
                throw CommandFailure("\(file) cannot be read: check its name and permissions")
            }
            let data = try await admin.send("PUT", path(device), bytes: Array(gpx))
            if admin.json { return Terminal.say(json: Array(data)) }
            let course = try JSONDecoder().decode(Course.self, from: data)
            let name = course.name.isEmpty ? "the course" : course.name
            let checkpoints = course.checkpoints
            Terminal.say(
                "\(name): \(course.points) points, "
                    + (checkpoints.isEmpty
                        ? "no checkpoint" : "checkpoints \(checkpoints.joined(separator: ", "))"))
        }

        private struct Course: Decodable {
            let name: String
            let points: Int
            let checkpoints: [String]
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the course as it was set, as GPX.",
            discussion: """
                Example:
                  pulsecast device course show my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            let gpx = try await admin.ask("GET", path(device))
            Terminal.say(String(decoding: gpx, as: UTF8.self))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes the course; viewers see it no more.",
            discussion: """
                Example:
                  pulsecast device course remove my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            _ = try await admin.ask("DELETE", path(device))
            Terminal.say("\(device) follows no course")
        }
    }
}

private func path(_ device: String) -> String { "/devices/\(segment(device))/course" }
