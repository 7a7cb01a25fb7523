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
