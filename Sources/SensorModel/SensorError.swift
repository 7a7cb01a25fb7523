/// The reason why a value from a device is refused.
public enum SensorError: Error, Hashable, Sendable {
    case heartRateOutOfRange(beatsPerMinute: Double)
    case latitudeOutOfRange(degrees: Double)
    case longitudeOutOfRange(degrees: Double)
    case altitudeOutOfRange(meters: Double)
    case accelerationOutOfRange(g: Double)
    case rotationOutOfRange(radiansPerSecond: Double)
    case pressureOutOfRange(hectopascals: Double)
    case deviceTimeOutOfRange
    case notFinite
    case textTooLong(bytes: Int, bytesMax: Int)
    /// A value of any other quantity; the name is that of its field.
    case valueOutOfRange(name: String, value: Double, range: ClosedRange<Double>)
}

extension SensorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .heartRateOutOfRange(let value): "heart rate \(value) is not within 20…250 beats/min"
        case .latitudeOutOfRange(let value): "latitude \(value) is not within ±90 degrees"
        case .longitudeOutOfRange(let value): "longitude \(value) is not within ±180 degrees"
        case .altitudeOutOfRange(let value): "altitude \(value) is not within -500…9000 m"
        case .accelerationOutOfRange(let value): "acceleration \(value) is not within ±32 g"
        case .rotationOutOfRange(let value): "rotation \(value) is not within ±40 rad/s"
        case .pressureOutOfRange(let value): "pressure \(value) is not within 300…1200 hPa"
        case .deviceTimeOutOfRange: "device time is not between 2000-01-01 and a day from now"
        case .notFinite: "a number is not finite"
        case .textTooLong(let bytes, let bytesMax): "text of \(bytes) bytes, at most \(bytesMax)"
        case .valueOutOfRange(let name, let value, let range):
            "\(name) \(value) is not within \(range.lowerBound)…\(range.upperBound)"
        }
    }
}
