public import SensorModel

/// The result of decoding one JSON object of a device.
public enum TextFrame: Hashable, Sendable {
    /// The payload is appended to the decoder's output in the log's form.
    ///
    /// - Parameter heartRateDropped: Whether the motion frame's heart rate was invalid and dropped;
    ///   the rest is kept.
    case frame(FrameHeader, heartRateDropped: Bool)
    case hello(Hello)
}
