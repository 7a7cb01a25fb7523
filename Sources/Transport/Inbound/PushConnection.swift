public import SensorModel

/// A device's frames from HTTP requests, as if they came over one connection.
public final class PushConnection: Sendable {
    public let connection = ConnectionID(rawValue: 0)

    /// Waits while the ring is full. Frames of one call stay together and in order.
    public func send(_ frames: [PushedFrame]) async {
    }

    public func close() async {
    }
}

/// A frame with its payload in the binary wire form.
public struct PushedFrame: Hashable, Sendable {
    public var header: FrameHeader
    public var payload: [UInt8]

    public init(header: FrameHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }
}
