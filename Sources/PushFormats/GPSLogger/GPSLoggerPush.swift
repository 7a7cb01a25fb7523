import Recordings
import SensorModel

/// Decodes GPSLogger's custom URL: fields are named after its placeholders, speed is in m/s.
enum GPSLoggerPush {
    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        var collector = PushCollector(request)
        let fields = FormFields(request)
        guard !fields.isEmpty else { throw PushProblem(reason: "no query and no form") }
        take(fields, into: &collector)
        var batch = collector.batch(reply: .text("OK"))
        // A recording begins when the user starts it, whereas a log file may hold several of a day.
        batch.sessionHint = fields["starttimestamp"]
        return batch
    }

    private static func take(_ fields: FormFields, into collector: inout PushCollector) {
        var time = collector.arrivalTime
        if let text = fields["timestamp", "time"] {
            guard let parsed = Timestamp(pushed: text) else {
                return collector.refuse("unreadable time")
            }
            time = parsed
        }
        if let latitude = fields.number("lat", "latitude"),
            let longitude = fields.number("lon", "lng", "long", "longitude")
        {
            collector.addLocation(
                PositionFix(
                    latitude: latitude, longitude: longitude,
                    altitude: fields.number("alt", "altitude"),
                    horizontalAccuracy: fields.number("acc", "accuracy"),
                    speed: fields.number("spd", "speed")
                        ?? fields.number("spd_kph").map { $0 / 3.6 },
                    course: fields.number("dir", "direction", "bearing")),
                at: time)
        } else {
            collector.refuse("no position")
        }
        if let rate = fields.number("hr", "heartrate", "bpm") {
            collector.addHeartRate(rate, at: time)
        }
        let charging = fields["ischarging"]?.lowercased()
        collector.addStatus(
            battery: fields.number("batt", "battery").map { $0 / 100 },
            charging: charging == "true" || charging == "1", at: time)
        if let text = fields["desc", "description", "annotation"] {
            collector.addMarker(text, at: time)
        }
    }
}
