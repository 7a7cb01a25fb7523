/// One unit a device sends, decoded and valid.
public struct Frame: Hashable, Sendable {
    /// The device's own counter; ``FrameSequence/none`` if the device does not count.
    public var sequence: FrameSequence
    /// Time of the payload, or of its first sample.
    public var deviceTime: Timestamp
    public var payload: Payload

    public init(sequence: FrameSequence, deviceTime: Timestamp, payload: Payload) {
        self.sequence = sequence
        self.deviceTime = deviceTime
        self.payload = payload
    }

    public enum Payload: Hashable, Sendable {
        case heartRate(HeartRateSample)
        case motion(MotionBatch)
        case location(Location)
        case control(ControlAction)
        /// Hectopascals, 300…1200.
        case pressure(hectopascals: Float)
        case status(DeviceStatus)
        /// A note from the device, cleaned, at most ``Limits/markerBytesMax`` bytes of UTF-8.
        case marker(String)
        /// Name of the source of the heart rates that follow, at most ``Limits/sourceBytesMax``
        /// bytes.
        case source(String)
        case measured(MeasuredValues)
        case foreign(ForeignMessages)
    }
}

/// The kind byte of a binary frame, as on the wire and in the log.
public enum FrameKind: UInt8, CaseIterable, Sendable {
    case hello = 0x01
    case heartRate = 0x02
    /// Samples as 16-bit integers: the wire's own form.
    case motion = 0x03
    case location = 0x04
    case control = 0x05
    case pressure = 0x06
    case status = 0x07
    case marker = 0x08
    case source = 0x09
    /// Values that a sensor computed itself, as a foot pod does.
    case measured = 0x0A
    /// Messages of another program's format, which only an export reads.
    case foreign = 0x0B
    /// Samples of a text frame as 32-bit floats, with its heart rate; in the log only. A text frame
    /// has more digits than the wire's integers, and an export returns all of them.
    case exactMotion = 0x13
    case welcome = 0x81
    case ack = 0x82
    case command = 0x83
    case error = 0x84

    /// Whether the log may hold it: all kinds that devices send, except the hello.
    public var isRecordable: Bool {
        switch self {
        case .hello, .welcome, .ack, .command, .error: false
        default: true
        }
    }
}
