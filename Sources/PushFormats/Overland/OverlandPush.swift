import Bytes
import Recordings
import SensorModel

/// Decodes Overland: GeoJSON features in batches, repeated forever without the exact answer.
enum OverlandPush {
    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        let object = try request.jsonObject()
        guard let locations = object["locations"]?.array else {
            throw PushProblem(reason: "no locations: is this Overland's receiver endpoint?")
        }
        var collector = PushCollector(request)
        var newest: (time: Timestamp, properties: JSONValue)?
        for feature in locations {
            let properties = feature["properties"] ?? .null
            guard let time = Timestamp(pushed: properties["timestamp"]) else {
                collector.refuse("no time")
                continue
            }
            if (newest?.time ?? time) <= time { newest = (time, properties) }
            take(feature, properties, at: time, into: &collector)
        }
        if let newest {
            // The status is read once a batch, because every point has the same value.
            let state = newest.properties["battery_state"]?.string
            collector.addStatus(
                battery: newest.properties["battery_level"]?.lenientDouble,
                charging: state == "charging" || state == "full", at: newest.time)
        }
        return collector.batch(reply: .json(#"{"result":"ok"}"#))
    }

    private static func take(
        _ feature: JSONValue, _ properties: JSONValue, at time: Timestamp,
        into collector: inout PushCollector
    ) {
        guard let coordinates = feature["geometry"]?["coordinates"]?.array,
            coordinates.count >= 2, let longitude = coordinates[0].lenientDouble,
            let latitude = coordinates[1].lenientDouble
        else { return collector.refuse("no position") }
        let vertical = properties["vertical_accuracy"]?.lenientDouble
        collector.addLocation(
            PositionFix(
                latitude: latitude, longitude: longitude,
                altitude: (vertical ?? 0) < 0 ? nil : properties["altitude"]?.lenientDouble,
                horizontalAccuracy: properties["horizontal_accuracy"]?.lenientDouble,
                verticalAccuracy: vertical, speed: properties["speed"]?.lenientDouble,
                course: properties["course"]?.lenientDouble),
            at: time)
    }
}
