public import SensorModel

/// What one JSON object of a device turned out to be.
public enum TextFrame: Hashable, Sendable {
    /// The payload is appended to the decoder's output in the log's form.
    ///
    /// - Parameter heartRateDropped: The motion frame's heart rate was not one; the rest stands.
    case frame(FrameHeader, heartRateDropped: Bool)
    case hello(Hello)
}
