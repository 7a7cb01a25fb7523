import ArgumentParser
import Foundation

/// The places of a device that its viewers are not shown.
struct DeviceZone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone", abstract: "Hides places from all viewers of a device.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Hides a circle; one of the same name is replaced.",
            discussion: """
                What is hidden is wider than the circle by 700 m. It holds for every link of the \
                device, also for recorded sessions.

                Example:
                  pulsecast device zone add my-watch home --latitude 48.137 --longitude 11.575
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("zone", "What its owner calls the place; no viewer reads it."))
        var name: String
        @Option(
            parsing: .unconditional, help: .value("degrees", "Latitude of its middle, -90 to 90."))
        var latitude: Double
        @Option(
            parsing: .unconditional,
            help: .value("degrees", "Longitude of its middle, -180 to 180."))
        var longitude: Double
        @Option(help: .value("meters", "Its radius.")) var radius: Double = 700

        func run() async throws {
            let data = try await admin.ask(
                "POST", "/devices/\(segment(device))/zones",
                body: [
                    "name": name, "latitude": latitude, "longitude": longitude,
                    "radiusMeters": radius,
                ])
            try HiddenPlaces.tell(data, admin)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the hidden places, and what is trimmed.",
            discussion: """
                Example:
                  pulsecast device zone list my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            try HiddenPlaces.tell(
                await admin.ask("GET", "/devices/\(segment(device))/zones"), admin)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Shows a hidden place to viewers again.",
            discussion: """
                Example:
                  pulsecast device zone remove my-watch home
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("zone", "Its name, as device zone list prints it."))
        var name: String

        func run() async throws {
            let path = "/devices/\(segment(device))/zones/\(segment(name))"
            try HiddenPlaces.tell(await admin.ask("DELETE", path), admin)
        }
    }
}

/// Hides the beginning and the end of each run.
struct DeviceTrim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Hides the first and last meters of each run from viewers.",
        discussion: """
            Without options what holds is printed. A trimmed finish delays all that viewers see, \
            for 300 m by 26 minutes; 0 turns it off.

            Example:
              pulsecast device trim my-watch --start 300 --finish 300
            """)
    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var device: String
    @Option(help: .value("meters", "Hidden length after the start.")) var start: Double?
    @Option(help: .value("meters", "Hidden length before the finish.")) var finish: Double?

    func run() async throws {
        var body: [String: any Sendable] = [:]
        body["trimStartMeters"] = start
        body["trimFinishMeters"] = finish
        let path = "/devices/\(segment(device))/zones"
        try HiddenPlaces.tell(
            await body.isEmpty
                ? admin.ask("GET", path) : admin.ask("PUT", path, body: body), admin)
    }
}

/// The daemon's answer to requests for zones and trims.
private struct HiddenPlaces: Decodable {
    struct Zone: Decodable {
        let name: String
        let latitude: Double
        let longitude: Double
        let radiusMeters: Double
    }

    let zones: [Zone]
    let trimStartMeters: Double
    let trimFinishMeters: Double

    /// Prints what is hidden.
    static func tell(_ data: Data, _ admin: AdminOptions) throws {
        if admin.json { return Terminal.say(json: Array(data)) }
        let hidden = try JSONDecoder().decode(HiddenPlaces.self, from: data)
        var table = TextTable(header: ["zone", "latitude", "longitude", "radius m"])
        for zone in hidden.zones {
            table.add([
                zone.name, "\(zone.latitude)", "\(zone.longitude)", "\(Int(zone.radiusMeters))",
            ])
        }
        Terminal.say(table.isEmpty ? "no zone" : table.text)
        Terminal.say(
            "trimmed: \(Int(hidden.trimStartMeters)) m of the start,"
                + " \(Int(hidden.trimFinishMeters)) m of the finish")
    }
}
