import Bytes
import SensorModel

extension FrameCollector {
    /// Adds a frame from its text form, or refuses it.
    ///
    /// - Parameters:
    ///   - object: An object that a writer's `append(_:)` wrote.
    ///   - type: Type of the frame.
    ///   - time: Time of the frame.
    mutating func addFrame(_ object: JSONValue, type: String, at time: Timestamp) {
        switch type {
        case "heartRate": addHeartRate(object, at: time)
        case "location": addLocation(object, at: time)
        case "motion": addMotion(object, at: time)
        case "control":
            guard let action = ControlAction(name: object["action"]?.string ?? "") else {
                return refuse("unknown action")
            }
            add(.control(action), at: time)
        case "pressure":
            guard let pressure = object["hectopascals"]?.double else {
                return refuse("no value")
            }
            addPressure(hectopascals: pressure, at: time)
        case "status":
            addStatus(
                battery: object["battery"]?.double, charging: object["charging"]?.bool ?? false,
                at: time)
        case "marker": addMarker(object["text"]?.string ?? "", at: time)
        case "source": addSource(object["source"]?.string ?? "", at: time)
        case "measured": addMeasured(object, at: time)
        case "foreign":
            let digits = Array((object["data"]?.string ?? "").utf8)
            let format = object["format"]?.string ?? ""
            guard let messages = ForeignMessages(format: format, digits: digits) else {
                return refuse("unreadable messages of another format")
            }
            add(.foreign(messages), at: time)
        default: refuse("unknown type of line")
        }
    }

    private mutating func addHeartRate(_ object: JSONValue, at time: Timestamp) {
        guard let rate = object["heartRate"]?.double else { return refuse("no value") }
        let intervals = object["rrSeconds"]?.array ?? []
        addHeartRate(
            rate, at: time,
            rrIntervals: intervals.prefix(255).compactMap {
                $0.double.map { UInt16(min(max($0 * 1024, 0), 65_535).rounded()) }
            },
            contact: object["contact"]?.bool.map { $0 ? .on : .off } ?? .unknown)
    }

    private mutating func addMeasured(_ object: JSONValue, at time: Timestamp) {
        var values = MeasuredValues()
        for quantity in MeasuredValues.Quantity.allCases {
            guard let number = object[quantity.name]?.double else { continue }
            do { try values.set(quantity, to: number) } catch {
                refuse("measured value out of range")
            }
        }
        guard !values.isEmpty else { return refuse("no value") }
        let source = (object["source"]?.string ?? "").cleaned(bytesMax: Limits.sourceBytesMax)
        values.source = source.isEmpty ? nil : source
        values.placement = object["placement"]?.string.flatMap { .init(name: $0) }
        add(.measured(values), at: time)
    }

    private mutating func addLocation(_ object: JSONValue, at time: Timestamp) {
        guard let latitude = object["latitude"]?.double,
            let longitude = object["longitude"]?.double
        else { return refuse("no value") }
        let fix = PositionFix(
            latitude: latitude, longitude: longitude, altitude: object["altitude"]?.double,
            horizontalAccuracy: object["horizontalAccuracy"]?.double,
            verticalAccuracy: object["verticalAccuracy"]?.double,
            speed: object["speed"]?.double, course: object["course"]?.double)
        addLocation(fix, at: time)
    }

    private mutating func addMotion(_ object: JSONValue, at time: Timestamp) {
        var traits: MotionTraits = []
        if object["gravityIncluded"]?.bool == true { traits.insert(.includesGravity) }
        if object["gyroscopePresent"]?.bool == true { traits.insert(.hasRotation) }
        let samples = (object["samples"]?.array ?? []).compactMap { MotionSample($0) }
        guard !samples.isEmpty, samples.count <= Limits.motionSamplesMax,
            samples.count == object["samples"]?.array?.count, samples.allSatisfy(\.isInRange)
        else { return refuse("motion out of range") }
        let interval = object["intervalMicroseconds"]?.int64 ?? 0
        let batch = MotionBatch(
            traits: traits, intervalMicroseconds: UInt32(clamping: interval), samples: samples,
            heartRate: object["heartRate"]?.double.flatMap {
                HeartRateSample.validBeatsPerMinute.contains($0) ? $0 : nil
            })
        add(.motion(batch), at: time)
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
