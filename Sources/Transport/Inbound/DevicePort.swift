import SensorModel
import WireFormat

/// A device's socket, TCP or WebSocket, as ``DeviceConnection`` uses it. Loop only.
protocol DevicePort: AnyObject {
    func send(_ message: DaemonMessage)
    /// Sends a JSON object that the daemon made.
    func send(commandJSON json: [UInt8])
    /// Sends the reason, and closes once it is written.
    func close(_ code: CloseCode, reason: String)
    /// Closes without a message once pending data is written: the device has ended its side.
    func finish()
    func setReading(_ reading: Bool)
    /// Offers ``DeviceConnection`` again the data for which it had no space, and the data after it.
    ///
    /// - Returns: `false` if there still was not enough space for all of it.
    func offerAgain() -> Bool
    /// Received bytes for which ``DeviceConnection`` had no space.
    var waitingBytes: Int { get }
    /// Called when the connection has processed everything received before the socket closed.
    func release()
}

/// Transport and peer of a device's connection.
struct DeviceOrigin: Sendable {
    var transport: DeviceTransport
    var headerToken: String?
    var peer: PeerAddress
    var isSecure: Bool
}
