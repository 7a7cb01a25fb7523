import ArgumentParser
import Foundation

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Adds, lists and removes devices, and sets their profile and hidden places.",
        subcommands: [
            Add.self, List.self, Rotate.self, Revoke.self, Delete.self, DeviceSet.self,
            DeviceExport.self, DeviceSetup.self, DeviceZone.self, DeviceTrim.self,
            DeviceCourse.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Adds a device and prints its secret token, this once.",
            discussion: """
                Example:
                  pulsecast device add my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "Its name; unique, whatever the case."))
        var name: String

        func run() async throws {
            try tell(await admin.ask("POST", "/devices", body: ["device": name]), admin)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Gives a device a new token; the old one is refused from now on.",
            discussion: """
                Example:
                  pulsecast device rotate my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var name: String

        func run() async throws {
            let data = try await admin.ask("POST", "/devices/\(segment(name))/rotate")
            try tell(data, admin)
            let answer = try JSONDecoder().decode(Answer.self, from: data)
            let places = (answer.targets ?? []) + (answer.receivers ?? [])
            if !admin.json, !places.isEmpty {
                Terminal.complain(
                    "its runs or alerts still go to \(places.joined(separator: ", ")): remove what"
                        + " you do not know with pulsecast delivery remove, or receiver remove")
            }
        }

        private struct Answer: Decodable {
            let targets: [String]?
            let receivers: [String]?
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the devices.",
            discussion: """
                Example:
                  pulsecast device list --json
                """)
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let data = try await admin.ask("GET", "/devices")
            try admin.print(
                data, columns: ["device", "createdAt", "revoked", "lastSeen", "sessions"])
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Ends a device's connections and refuses its token for ever.",
            discussion: """
                Example:
                  pulsecast device revoke my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var name: String

        func run() async throws {
            _ = try await admin.ask("POST", "/devices/\(segment(name))/revoke")
            Terminal.say("\(name) is revoked; give it a new token with pulsecast device rotate")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes a device with its shares and every session it recorded.",
            discussion: """
                Example:
                  pulsecast device delete my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var name: String

        func run() async throws {
            let data = try await admin.ask("DELETE", "/devices/\(segment(name))")
            if admin.json { return Terminal.say(json: Array(data)) }
            let erased = try JSONDecoder().decode(Erased.self, from: data)
            Terminal.say(
                "deleted \(erased.device): \(erased.sessionsErased) session(s),"
                    + " \(erased.bytesErased) bytes erased from the log")
        }

        private struct Erased: Decodable {
            let device: String
            let sessionsErased: Int
            let bytesErased: Int
        }
    }

    fileprivate struct Credentials: Decodable {
        let device: String
        let token: String
    }

    fileprivate static func tell(_ data: Data, _ admin: AdminOptions) throws {
        if admin.json { return Terminal.say(json: Array(data)) }
        let made = try JSONDecoder().decode(Credentials.self, from: data)
        Terminal.say(made.token)
        Terminal.complain(
            "This is the token of \(made.device); it is not shown again. The device says it in its"
                + " hello.")
    }
}

private func tell(_ data: Data, _ admin: AdminOptions) throws {
    try DeviceCommand.tell(data, admin)
}
