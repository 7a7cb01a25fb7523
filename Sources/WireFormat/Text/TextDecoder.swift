public import SensorModel

/// Turns the JSON of one connection into headers and payloads of the binary form.
///
/// A line, or a WebSocket text message, holds one object or an array of objects:
///
///     decoder.begin()
///     while let frame = try decoder.next(in: line, payload: &payload, …) { … }
///
/// After a refusal `next` goes on with the object behind it, where there is one.
public struct TextDecoder: Sendable {
    public init() {}

    /// Starts at the front of a new line or message.
    public mutating func begin() {}

    /// - Parameters:
    ///   - text: The same bytes from `begin()` until `nil` comes back.
    ///   - payload: Emptied, then takes the frame's payload; keep it, so that it grows only once.
    ///   - arrivalTime: The daemon's clock when the text came.
    ///   - recorded: As the hello said.
    /// - Returns: `nil` at the end of the text.
    /// - Throws: ``RefusedFrame`` for one object.
    public mutating func next(
        in text: Span<UInt8>, payload: inout [UInt8], arrivalTime: Timestamp, recorded: Bool
    ) throws(RefusedFrame) -> TextFrame? {
        nil
    }

    /// The payload of a binary hello.
    ///
    /// - Throws: ``FrameRefusal`` where the object is no hello.
    public static func hello(in json: Span<UInt8>) throws(FrameRefusal) -> Hello {
        throw .notJSON
    }
}
