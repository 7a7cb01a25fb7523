import Bytes
import SensorModel

/// Reads a ``Recording`` from our NDJSON export: a session object, then one object per frame.
struct NDJSONReader {
    private var builder = RecordingBuilder(format: .ndjson)

    static func read(_ bytes: [UInt8]) throws(RecordingError) -> Recording {
        var reader = NDJSONReader()
        for line in bytes.split(separator: 0x0A) {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do throws(JSONProblem) {
                reader.take(try JSONValue(parsing: Array(line)))
            } catch {
                reader.builder.refuse("a line that is not JSON")
            }
        }
        return try reader.builder.finish()
    }

    private mutating func take(_ object: JSONValue) {
        let type = object["type"]?.string ?? ""
        switch type {
        case "session":
            builder.recording.name = object["name"]?.string
            builder.recording.sport = object["sport"]?.string
        case "lap": takeLap(object)
        case "pause": takePause(object)
        case "point": takePoint(object)
        case "split", "totals": break
        default:
            guard let time = object["timestamp"]?.time else { return builder.refuse("no time") }
            builder.follow(time)
            takeFrame(type, object, at: time)
        }
    }

    private mutating func takeFrame(_ type: String, _ object: JSONValue, at time: Timestamp) {
        switch type {
        case "heartRate": takeHeartRate(object, at: time)
        case "location": takeLocation(object, at: time)
        case "motion": takeMotion(object, at: time)
        case "control":
            guard let action = ControlAction(name: object["action"]?.string ?? "") else {
                return builder.refuse("unknown action")
            }
            builder.add(.control(action), at: time)
        case "pressure":
            guard let pressure = object["hectopascals"]?.double else {
                return builder.refuse("no value")
            }
            builder.addPressure(hectopascals: pressure, at: time)
        case "status":
            builder.addStatus(
                battery: object["battery"]?.double, charging: object["charging"]?.bool ?? false,
                at: time)
        case "marker": builder.addMarker(object["text"]?.string ?? "", at: time)
        case "source": builder.addSource(object["source"]?.string ?? "", at: time)
        default: builder.refuse("unknown type of line")
        }
    }

    private mutating func takeHeartRate(_ object: JSONValue, at time: Timestamp) {
        guard let rate = object["heartRate"]?.double else { return builder.refuse("no value") }
        let intervals = object["rrSeconds"]?.array ?? []
        builder.addHeartRate(
            rate, at: time,
            rrIntervals: intervals.prefix(255).compactMap {
                $0.double.map { UInt16(min(max($0 * 1024, 0), 65_535).rounded()) }
            },
            contact: object["contact"]?.bool.map { $0 ? .on : .off } ?? .unknown)
    }

    private mutating func takeLocation(_ object: JSONValue, at time: Timestamp) {
        guard let latitude = object["latitude"]?.double,
            let longitude = object["longitude"]?.double
        else { return builder.refuse("no value") }
        let fix = PositionFix(
            latitude: latitude, longitude: longitude, altitude: object["altitude"]?.double,
            horizontalAccuracy: object["horizontalAccuracy"]?.double,
            verticalAccuracy: object["verticalAccuracy"]?.double,
            speed: object["speed"]?.double, course: object["course"]?.double)
        builder.addLocation(fix, at: time)
    }

    private mutating func takeMotion(_ object: JSONValue, at time: Timestamp) {
        var traits: MotionTraits = []
        if object["gravityIncluded"]?.bool == true { traits.insert(.includesGravity) }
        if object["gyroscopePresent"]?.bool == true { traits.insert(.hasRotation) }
        let samples = (object["samples"]?.array ?? []).compactMap { MotionSample($0) }
        guard !samples.isEmpty, samples.count <= Limits.motionSamplesMax,
            samples.count == object["samples"]?.array?.count, samples.allSatisfy(\.isInRange)
        else { return builder.refuse("motion out of range") }
        let interval = object["intervalMicroseconds"]?.int64 ?? 0
        let batch = MotionBatch(
            traits: traits, intervalMicroseconds: UInt32(clamping: interval), samples: samples,
            heartRate: object["heartRate"]?.double.flatMap {
                HeartRateSample.validBeatsPerMinute.contains($0) ? $0 : nil
            })
        builder.add(.motion(batch), at: time)
    }
}

extension NDJSONReader {
    private mutating func takePoint(_ object: JSONValue) {
        guard let time = object["time"]?.time else { return }
        builder.add(
            DeviceValues(
                time: time, cadence: object["cadence"]?.double,
                distanceMeters: object["distanceMeters"]?.double,
                speedMetersPerSecond: object["speed"]?.double))
    }

    private mutating func takeLap(_ object: JSONValue) {
        guard let start = object["start"]?.time, let end = object["end"]?.time else { return }
        builder.recording.laps.append(
            RecordedLap(
                start: start, end: end, timerSeconds: object["timerSeconds"]?.double,
                distanceMeters: object["distanceMeters"]?.double,
                averageHeartRate: object["averageHeartRate"]?.double))
    }

    /// Adds a pause, without control frames: the file itself contains those of manual pauses.
    private mutating func takePause(_ object: JSONValue) {
        guard let start = object["start"]?.time, let end = object["end"]?.time else { return }
        builder.recording.pauses.append(
            RecordedPause(
                start: start, end: end, automatic: object["automatic"]?.bool ?? true))
    }
}

extension JSONValue {
    /// Seconds since 1970.
    var time: Timestamp? {
        double.flatMap { Timestamp(secondsSince1970: $0) }
    }
}

extension MotionSample {
    /// Accepts `[x, y, z]` or `[x, y, z, rotation x, y, z]`.
    fileprivate init?(_ value: JSONValue) {
        guard let numbers = value.array?.compactMap(\.double), numbers.count == value.array?.count,
            numbers.count == 3 || numbers.count == 6
        else { return nil }
        self.init(acceleration: SIMD3(Float(numbers[0]), Float(numbers[1]), Float(numbers[2])))
        guard numbers.count == 6 else { return }
        rotation = SIMD3(Float(numbers[3]), Float(numbers[4]), Float(numbers[5]))
    }
}

extension ControlAction {
    /// Name in the text wire format.
    var name: String {
        switch self {
        case .start: "start"
        case .pause: "pause"
        case .resume: "resume"
        case .lap: "lap"
        case .stop: "stop"
        case .sos: "sos"
        case .cancelAlert: "cancelAlert"
        }
    }

    init?(name: String) {
        guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = action
    }
}
