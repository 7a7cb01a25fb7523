import Bytes
import Recordings
import SensorModel

/// Decodes OsmAnd, Traccar Client and many trackers: a query or form with speed in knots, or JSON
/// with speed in m/s. The body of the answer is a waiting command.
enum OsmAndPush {
    private static let metersPerSecondPerKnot = 1852.0 / 3600

    static func batch(
        _ request: PushRequest, _ commands: [PhoneCommand]
    ) throws(PushProblem) -> PushBatch {
        var collector = PushCollector(request)
        if !request.body.isEmpty, request.isJSON {
            try takeJSON(try request.jsonObject(), into: &collector)
        } else {
            let fields = FormFields(request)
            guard !fields.isEmpty else {
                throw PushProblem(reason: "no query, no form and no JSON")
            }
            take(fields, into: &collector)
        }
        // The body holds one command, so they are delivered one at a time.
        let delivered = Array(commands.prefix(1))
        var batch = collector.batch(
            reply: delivered.first.map { .text($0.rawValue) } ?? .empty)
        batch.deliveredCommands = delivered
        return batch
    }

    private static func take(_ fields: FormFields, into collector: inout PushCollector) {
        var time = collector.arrivalTime
        if let text = fields["timestamp"] {
            guard let parsed = Timestamp(pushed: text) else {
                return collector.refuse("unreadable time")
            }
            time = parsed
        }
        if let fix = fix(fields) {
            if fields["valid"]?.lowercased() == "false" || fields["valid"] == "0" {
                collector.refuse("position not valid")
            } else {
                collector.addLocation(fix, at: time)
            }
        }
        if let rate = fields.number("hr", "heartrate", "heart_rate", "bpm") {
            collector.addHeartRate(rate, at: time)
        }
        let charge = fields["charge"]?.lowercased()
        collector.addStatus(
            battery: fields.number("batt", "battery").map { $0 / 100 },
            charging: charge == "true" || charge == "1", at: time)
        if fields["alarm"] == "sos" { collector.add(.control(.sos), at: time) }
        if collector.frames.isEmpty, collector.refused.isEmpty { collector.refuse("no position") }
    }

    private static func fix(_ fields: FormFields) -> PositionFix? {
        var latitude = fields.number("lat", "latitude")
        var longitude = fields.number("lon", "lng", "longitude")
        if let parts = fields["location"]?.split(separator: ","), parts.count == 2 {
            latitude = NumberText.double(parts[0])
            longitude = NumberText.double(parts[1])
        }
        guard let latitude, let longitude else { return nil }
        return PositionFix(
            latitude: latitude, longitude: longitude,
            altitude: fields.number("altitude", "alt"),
            horizontalAccuracy: fields.number("accuracy"),
            speed: fields.number("speed").map { $0 * metersPerSecondPerKnot },
            course: fields.number("bearing", "heading"))
    }

    private static func takeJSON(
        _ object: JSONValue, into collector: inout PushCollector
    ) throws(PushProblem) {
        guard let location = object["location"] else {
            throw PushProblem(reason: "no location: is this Traccar Client's JSON?")
        }
        for location in location.array ?? [location] { take(location, into: &collector) }
    }

    private static func take(_ location: JSONValue, into collector: inout PushCollector) {
        var time = collector.arrivalTime
        if let value = location["timestamp"] {
            guard let parsed = Timestamp(pushed: value) else {
                return collector.refuse("unreadable time")
            }
            time = parsed
        }
        let coordinates = location["coords"] ?? .null
        if let latitude = coordinates["latitude"]?.lenientDouble,
            let longitude = coordinates["longitude"]?.lenientDouble
        {
            collector.addLocation(
                PositionFix(
                    latitude: latitude, longitude: longitude,
                    altitude: coordinates["altitude"]?.lenientDouble,
                    horizontalAccuracy: coordinates["accuracy"]?.lenientDouble,
                    verticalAccuracy: coordinates["altitude_accuracy"]?.lenientDouble,
                    speed: coordinates["speed"]?.lenientDouble,
                    course: coordinates["heading"]?.lenientDouble),
                at: time)
        } else {
            collector.refuse("no position")
        }
        let extras = location["extras"] ?? .null
        if let rate = extras["hr"]?.lenientDouble ?? extras["heartRate"]?.lenientDouble {
            collector.addHeartRate(rate, at: time)
        }
        collector.addStatus(
            battery: location["battery"]?["level"]?.lenientDouble,
            charging: location["battery"]?["is_charging"]?.bool ?? false, at: time)
        if location["alarm"]?.string == "sos" { collector.add(.control(.sos), at: time) }
    }
}
