import Bytes
import SensorModel

extension JSONWriter {
    /// Writes the members of a frame in the text form of devices; motion as one object a batch.
    mutating func append(_ frame: Frame) {
        switch frame.payload {
        case .heartRate(let sample): append(sample)
        case .motion(let batch): append(batch)
        case .location(let location): append(location)
        case .control(let action):
            string("type", "control")
            string("action", action.name)
        case .pressure(let hectopascals):
            string("type", "pressure")
            exact("hectopascals", hectopascals)
        case .status(let status):
            string("type", "status")
            number("battery", status.batteryPercent.map { Double($0) / 100 }, decimals: 2)
            bool("charging", status.charging)
        case .marker(let text):
            string("type", "marker")
            string("text", text)
        case .source(let name):
            string("type", "source")
            string("source", name)
        }
        seconds("timestamp", frame.deviceTime)
        if frame.sequence.isCounted { integer("seq", Int64(frame.sequence.rawValue)) }
    }

    private mutating func append(_ sample: HeartRateSample) {
        string("type", "heartRate")
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
        string("type", "location")
        number("latitude", location.latitude, decimals: 7)
        number("longitude", location.longitude, decimals: 7)
        number("altitude", location.altitude, decimals: 2)
        number("horizontalAccuracy", location.horizontalAccuracy, decimals: 1)
        number("verticalAccuracy", location.verticalAccuracy, decimals: 1)
        number("speed", location.speed, decimals: 2)
        number("course", location.course, decimals: 2)
    }

    private mutating func append(_ batch: MotionBatch) {
        string("type", "motion")
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
