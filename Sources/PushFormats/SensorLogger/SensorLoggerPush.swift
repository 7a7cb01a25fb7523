import Bytes
import Recordings
import SensorModel

/// Decodes Sensor Logger: JSON with a payload of readings by name, times in whole nanoseconds.
///
/// Only `accuracy` reveals the platform, because Android alone sends it. Android's acceleration has
/// the opposite sign and is converted to Apple's, which native frames also use.
struct SensorLoggerPush {
    private var collector: PushCollector
    private var motion = MotionReadings()

    static func batch(_ request: PushRequest) throws(PushProblem) -> PushBatch {
        let object = try request.jsonObject()
        guard let payload = object["payload"]?.array else {
            throw PushProblem(reason: "no payload: is this Sensor Logger's HTTP push?")
        }
        var push = SensorLoggerPush(collector: PushCollector(request))
        for reading in payload { push.take(reading) }
        let motion = push.motion.batcher(&push.collector)
        var batch = push.collector.batch(reply: .empty, motion: motion)
        batch.sessionHint = object["sessionId"]?.string
        return batch
    }

    private mutating func take(_ reading: JSONValue) {
        guard let name = reading["name"]?.string else { return collector.refuse("no name") }
        guard let time = Self.time(reading["time"]) else { return collector.refuse("no time") }
        // Older versions put the values next to the name.
        let values = reading["values"] ?? reading
        let android = reading["accuracy"] != nil
        switch name.lowercased().filter({ $0.isLetter }) {
        case "heartrate":
            guard let rate = values["bpm"]?.lenientDouble else {
                return collector.refuse("no value")
            }
            collector.addHeartRate(rate, at: time)
        case "location": takeLocation(values, at: time)
        case "watchlocation": takeWatchLocation(values, at: time)
        case "accelerometer": motion.add(.userAcceleration, values, at: time, negated: android)
        case "totalacceleration", "accelerometeruncalibrated":
            motion.add(.totalAcceleration, values, at: time, negated: android)
        case "gyroscope": motion.add(.rotation, values, at: time, negated: false)
        case "wristmotion": motion.addWrist(values, at: time)
        case "barometer": takePressure(values, at: time, kilopascals: false)
        case "watchbarometer": takePressure(values, at: time, kilopascals: true)
        case "pedometer": takePedometer(values, at: time)
        case "battery":
            let state = values["batteryState"]?.string?.lowercased()
            collector.addStatus(
                battery: values["batteryLevel"]?.lenientDouble,
                charging: state == "charging" || state == "full", at: time)
        case "annotation":
            let text = values["text"]?.string ?? ""
            if text.cleaned(bytesMax: Limits.markerBytesMax).isEmpty {
                collector.add(.control(.lap), at: time)
            } else {
                collector.addMarker(text, at: time)
            }
        default:
            // Magnetometers, microphones and future sensors are ignored.
            break
        }
    }

    /// Reads a time as an integer, because nanoseconds since 1970 do not fit into a Double.
    private static func time(_ value: JSONValue?) -> Timestamp? {
        if let nanoseconds = value?.int64 { return Timestamp(microseconds: nanoseconds / 1000) }
        guard let text = value?.string, let nanoseconds = Int64(text) else { return nil }
        return Timestamp(microseconds: nanoseconds / 1000)
    }

    /// Adds a phone's position. Its altitude is above the ellipsoid; Apple's phones also send the
    /// one above sea level.
    private mutating func takeLocation(_ values: JSONValue, at time: Timestamp) {
        takeFix(
            values, at: time, course: "bearing",
            altitude: values["altitudeAboveMeanSeaLevel"]?.lenientDouble
                ?? values["altitude"]?.lenientDouble)
    }

    /// Adds a watch's position. Its altitude is above sea level.
    private mutating func takeWatchLocation(_ values: JSONValue, at time: Timestamp) {
        takeFix(
            values, at: time, course: "course", altitude: values["altitude"]?.lenientDouble)
    }

    private mutating func takeFix(
        _ values: JSONValue, at time: Timestamp, course: String, altitude: Double?
    ) {
        guard let latitude = values["latitude"]?.lenientDouble,
            let longitude = values["longitude"]?.lenientDouble
        else { return collector.refuse("no position") }
        let horizontal = values["horizontalAccuracy"]?.lenientDouble
        let vertical = values["verticalAccuracy"]?.lenientDouble
        if let horizontal, horizontal < 0 { return collector.refuse("position not valid") }
        collector.addLocation(
            PositionFix(
                latitude: latitude, longitude: longitude,
                altitude: (vertical ?? 0) < 0 ? nil : altitude, horizontalAccuracy: horizontal,
                verticalAccuracy: vertical, speed: values["speed"]?.lenientDouble,
                course: values[course]?.lenientDouble),
            at: time)
    }

    /// Adds the phone's own count of steps since the start of the recording or of the phone.
    private mutating func takePedometer(_ values: JSONValue, at time: Timestamp) {
        guard let steps = values["steps"]?.lenientDouble else {
            return collector.refuse("no value")
        }
        var measured = MeasuredValues(source: "pedometer")
        do {
            try measured.set(.stepCount, to: steps)
            collector.add(.measured(measured), at: time)
        } catch { collector.refuse("steps out of range") }
    }

    private mutating func takePressure(
        _ values: JSONValue, at time: Timestamp, kilopascals: Bool
    ) {
        guard let pressure = values["pressure"]?.lenientDouble else {
            return collector.refuse("no value")
        }
        // With standardized units a watch sends hectopascals. A pressure below 200 hPa is
        // impossible for a runner.
        let isKilo = kilopascals && pressure < 200
        collector.addPressure(hectopascals: isKilo ? pressure * 10 : pressure, at: time)
    }
}
