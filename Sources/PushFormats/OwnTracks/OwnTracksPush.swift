import Bytes
import Recordings
import SensorModel

/// Decodes OwnTracks: one JSON object per request; the answer is a list of objects for the phone.
enum OwnTracksPush {
    static func batch(
        _ request: PushRequest, _ commands: [PhoneCommand]
    ) throws(PushProblem) -> PushBatch {
        var collector = PushCollector(request)
        if request.body.contains(where: { $0 > 0x20 }) {
            let value = try request.json()
            // The format has one object per request; some relays send several.
            for object in value.array ?? [value] { try take(object, into: &collector) }
        }
        let delivered = commands.filter { monitoring(of: $0) != nil }
        var batch = collector.batch(reply: reply(delivered))
        batch.deliveredCommands = delivered
        return batch
    }

    private static func take(
        _ object: JSONValue, into collector: inout PushCollector
    ) throws(PushProblem) {
        guard let type = object["_type"]?.string else {
            throw PushProblem(reason: "no _type: is this OwnTracks' HTTP mode?")
        }
        switch type {
        case "location": takeLocation(object, into: &collector)
        case "encrypted": collector.refuse("encrypted; switch encryption off in OwnTracks")
        default: break
        }
    }

    private static func takeLocation(_ object: JSONValue, into collector: inout PushCollector) {
        guard let time = Timestamp(pushed: object["tst"]) else {
            return collector.refuse("no time")
        }
        if let latitude = object["lat"]?.lenientDouble,
            let longitude = object["lon"]?.lenientDouble
        {
            collector.addLocation(
                PositionFix(
                    latitude: latitude, longitude: longitude,
                    altitude: object["alt"]?.lenientDouble,
                    horizontalAccuracy: object["acc"]?.lenientDouble,
                    verticalAccuracy: object["vac"]?.lenientDouble,
                    // The unit of `vel` is km/h.
                    speed: object["vel"]?.lenientDouble.map { $0 / 3.6 },
                    course: object["cog"]?.lenientDouble),
                at: time)
        } else {
            collector.refuse("no position")
        }
        if let kilopascals = object["p"]?.lenientDouble {
            collector.addPressure(hectopascals: kilopascals * 10, at: time)
        }
        // `bs` 2 is charging, 3 full.
        let charging = [2, 3].contains(object["bs"]?.int64)
        collector.addStatus(
            battery: object["batt"]?.lenientDouble.map { $0 / 100 }, charging: charging, at: time)
    }

    /// Returns the OwnTracks mode nearest to a command: moving (2) sends continuously, significant
    /// changes (1) hardly ever. OwnTracks changes it only if remote configuration is allowed.
    private static func monitoring(of command: PhoneCommand) -> Int64? {
        switch command {
        case .start, .resume: 2
        case .stop, .pause: 1
        case .lap: nil
        }
    }

    private static func reply(_ commands: [PhoneCommand]) -> PushReply {
        var json = JSONWriter()
        json.array { array in
            for command in commands {
                array.object { object in
                    object.string("_type", "cmd")
                    object.string("action", "setConfiguration")
                    object.object("configuration") { configuration in
                        configuration.string("_type", "configuration")
                        configuration.integer("monitoring", monitoring(of: command))
                    }
                }
            }
        }
        return PushReply(status: 200, contentType: "application/json", body: json.bytes)
    }
}
