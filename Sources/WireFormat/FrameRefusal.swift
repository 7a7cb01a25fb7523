public import SensorModel

/// The reason why bytes from a device are refused.
///
/// After most refusals the connection stays open: the next frame starts where this one ends. If the
/// next frame cannot be found, ``closes`` is the code that ends the connection.
public enum FrameRefusal: Error, Hashable, Sendable {
    /// The binary length field is outside ``Limits/frameLengthRange``, or a message ends early.
    case lengthOutOfRange(bytes: Int)
    /// A text line longer than ``Limits/textLineBytesMax``.
    case lineTooLong
    case unknownKind(UInt8)
    /// A text frame with an unknown `type`.
    case unknownType
    /// Bits or bytes that must be zero are not. A later version may give them a meaning.
    case reservedNotZero
    case payloadSize(bytes: Int)
    case value(SensorError)
    case motionCount(Int)
    case motionDuration(microseconds: Int64)
    case contactUnknown(UInt8)
    case controlUnknown
    case batteryOutOfRange
    case rrIntervalOutOfRange
    case sequenceOutOfRange
    case sessionNotUUID
    case emptyText
    case notUTF8
    case notJSON
    /// Brackets nested deeper than ``JSONScanner/depthMax``.
    case nestedTooDeep
    /// A JSON value that is not the expected object.
    case notAnObject
    case missing(field: String)
    case wrongType(field: String)
    case dateNotISO8601(field: String)

    /// The code to close with if the next frame cannot be found, else `nil`.
    public var closes: CloseCode? {
        switch self {
        case .lengthOutOfRange: .notAFrame
        case .lineTooLong: .messageTooLarge
        default: nil
        }
    }

    /// The value of the metric's label `reason`; a device cannot choose it.
    public var code: String {
        switch self {
        case .lengthOutOfRange: "length_out_of_range"
        case .lineTooLong: "line_too_long"
        case .unknownKind: "unknown_kind"
        case .unknownType: "unknown_type"
        case .reservedNotZero: "reserved_not_zero"
        case .payloadSize: "payload_size"
        case .value(let error): error.code
        case .motionCount: "motion_count"
        case .motionDuration: "motion_duration"
        case .contactUnknown: "contact_unknown"
        case .controlUnknown: "control_unknown"
        case .batteryOutOfRange: "battery_out_of_range"
        case .rrIntervalOutOfRange: "rr_interval_out_of_range"
        case .sequenceOutOfRange: "sequence_out_of_range"
        case .sessionNotUUID: "session_not_uuid"
        case .emptyText: "empty_text"
        case .notUTF8: "not_utf8"
        case .notJSON: "not_json"
        case .nestedTooDeep: "nested_too_deep"
        case .notAnObject: "not_an_object"
        case .missing: "field_missing"
        case .wrongType: "wrong_type"
        case .dateNotISO8601: "date_not_iso8601"
        }
    }
}

extension FrameRefusal: CustomStringConvertible {
    /// One sentence for the device's author.
    public var description: String {
        switch self {
        case .lengthOutOfRange(let bytes): "a frame of length \(bytes) is not within 14…4094"
        case .lineTooLong: "a line is longer than is taken here"
        case .unknownKind(let kind): "kind 0x\(String(kind, radix: 16)) is not known"
        case .unknownType: "this type is not known"
        case .reservedNotZero: "reserved bits must be zero"
        case .payloadSize(let bytes): "a payload of \(bytes) bytes does not fit its kind"
        case .value(let error): error.description
        case .motionCount(let count): "\(count) samples in a batch, 1…\(Limits.motionSamplesMax)"
        case .motionDuration(let microseconds):
            "a batch of \(microseconds) µs, at most \(FrameValidation.batchMicrosecondsMax)"
        case .contactUnknown(let value): "contact \(value) is not 0, 1 or 2"
        case .controlUnknown: "this control action is not known"
        case .batteryOutOfRange: "battery is not within 0…1 (0…100 %)"
        case .rrIntervalOutOfRange: "an RR interval is not within 0…63.99 s, or there are over 255"
        case .sequenceOutOfRange: "seq is not a whole number within 1…4294967295"
        case .sessionNotUUID: "session is not a UUID"
        case .emptyText: "the text is empty"
        case .notUTF8: "the text is not UTF-8"
        case .notJSON: "this is not JSON"
        case .nestedTooDeep: "the JSON is nested too deeply"
        case .notAnObject: "a JSON object was expected"
        case .missing(let field): "\(field) is missing"
        case .wrongType(let field): "\(field) is of the wrong type"
        case .dateNotISO8601(let field): "\(field) is not a date and time as ISO 8601 has it"
        }
    }
}

extension SensorError {
    fileprivate var code: String {
        switch self {
        case .heartRateOutOfRange: "heart_rate_out_of_range"
        case .latitudeOutOfRange: "latitude_out_of_range"
        case .longitudeOutOfRange: "longitude_out_of_range"
        case .altitudeOutOfRange: "altitude_out_of_range"
        case .accelerationOutOfRange: "acceleration_out_of_range"
        case .rotationOutOfRange: "rotation_out_of_range"
        case .pressureOutOfRange: "pressure_out_of_range"
        case .deviceTimeOutOfRange: "device_time_out_of_range"
        case .notFinite: "not_finite"
        case .textTooLong: "text_too_long"
        case .valueOutOfRange: "value_out_of_range"
        }
    }
}

/// A refusal with the number of the refused frame: the number is used, and acks pass it.
public struct RefusedFrame: Error, Hashable, Sendable {
    public let refusal: FrameRefusal
    /// The frame's number; ``FrameSequence/none`` if it could not be read.
    public let sequence: FrameSequence

    public init(refusal: FrameRefusal, sequence: FrameSequence = .none) {
        self.refusal = refusal
        self.sequence = sequence
    }
}
