package import Bytes
package import SensorModel

extension JSONWriter {
    /// Writes the members of a frame in the text form of devices; a motion batch is one object.
    mutating func append(_ frame: Frame) {
        string("type", frame.payload.name)
        append(values: frame.payload)
        seconds("timestamp", frame.deviceTime)
        if frame.sequence.isCounted { integer("seq", Int64(frame.sequence.rawValue)) }
    }

    /// Writes the members that only this kind of frame has.
    package mutating func append(values payload: Frame.Payload) {
        switch payload {
        case .heartRate(let sample): append(sample)
        case .motion(let batch): append(batch)
        case .location(let location): append(location)
        case .control(let action): string("action", action.name)
        case .pressure(let hectopascals): exact("hectopascals", hectopascals)
        case .status(let status):
            number("battery", status.batteryPercent.map { Double($0) / 100 }, decimals: 2)
            bool("charging", status.charging)
        case .marker(let text): string("text", text)
        case .source(let name): string("source", name)
        case .measured(let values): append(values)
        case .foreign(let messages):
            string("format", messages.format.name)
            string("data", messages.digits)
        }
    }

    private mutating func append(_ values: MeasuredValues) {
        for quantity in values.quantities {
            number(quantity.name, values[quantity], decimals: quantity.decimals)
        }
        string("source", values.source)
        string("placement", values.placement?.name)
    }

    private mutating func append(_ sample: HeartRateSample) {
        number("heartRate", sample.beatsPerMinute, decimals: 1)
        if sample.contact != .unknown { bool("contact", sample.contact == .on) }
        guard !sample.rrIntervals.isEmpty else { return }
        array("rrSeconds") { array in
            for interval in sample.rrIntervals {
                array.number(nil, Double(interval) / 1024, decimals: 4)
            }
        }
    }

    private mutating func append(_ location: Location) {
        number("latitude", location.latitude, decimals: 7)
        number("longitude", location.longitude, decimals: 7)
        number("altitude", location.altitude, decimals: 2)
        number("horizontalAccuracy", location.horizontalAccuracy, decimals: 1)
        number("verticalAccuracy", location.verticalAccuracy, decimals: 1)
        number("speed", location.speed, decimals: 2)
        number("course", location.course, decimals: 2)
    }

    private mutating func append(_ batch: MotionBatch) {
        bool("gravityIncluded", batch.traits.contains(.includesGravity))
        let rotates = batch.traits.contains(.hasRotation)
        bool("gyroscopePresent", rotates)
        number("heartRate", batch.heartRate, decimals: 3)
        integer("intervalMicroseconds", Int64(batch.intervalMicroseconds))
        array("samples") { samples in
            for sample in batch.samples {
                samples.array { numbers in
                    for axis in 0..<3 { numbers.exact(nil, sample.acceleration[axis]) }
                    guard rotates else { return }
                    for axis in 0..<3 { numbers.exact(nil, sample.rotation[axis]) }
                }
            }
        }
    }
}

extension Frame.Payload {
    /// The `type` member in the text form.
    fileprivate var name: String {
        switch self {
        case .heartRate: "heartRate"
        case .motion: "motion"
        case .location: "location"
        case .control: "control"
        case .pressure: "pressure"
        case .status: "status"
        case .marker: "marker"
        case .source: "source"
        case .measured: "measured"
        case .foreign: "foreign"
        }
    }
}

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
