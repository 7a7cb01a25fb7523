import SensorModel
import WireFormat

/// The socket of a device, TCP or WebSocket, as ``DeviceConnection`` needs it. Loop only.
protocol DevicePort: AnyObject {
    func send(_ message: DaemonMessage)
    /// A JSON object that the daemon made.
    func send(commandJSON json: [UInt8])
    /// Says why and closes once that is written.
    func close(_ code: CloseCode, reason: String)
    /// Closes without a word once what was said is written: the device has ended its side.
    func finish()
    func setReading(_ reading: Bool)
    /// Offers again what ``DeviceConnection`` had no room for, and what came after it.
    ///
    /// - Returns: `false` when there still was not room for all of it.
    func offerAgain() -> Bool
    /// The connection is through with everything that came before the socket closed.
    func release()
}

/// Where a device's connection came from.
struct DeviceOrigin: Sendable {
    var transport: DeviceTransport
    var headerToken: String?
    var peer: PeerAddress
    var isSecure: Bool
}
