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
