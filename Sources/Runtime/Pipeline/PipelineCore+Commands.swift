import Foundation
package import SensorModel
import Transport

extension PipelineCore {
    /// - Returns: Whether an open connection of the device received it.
    @discardableResult
    package func send(command: String, to device: DeviceID) -> Bool {
        send(json: Array(#"{"command":"\#(command)"}"#.utf8), to: device)
    }

    /// Sends a spectator's message to the runner.
    @discardableResult
    package func send(cheer text: String, to device: DeviceID) -> Bool {
        let object = ["type": "cheer", "text": text]
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return false }
        return send(json: Array(data), to: device)
    }

    /// Tells the runner that somebody takes care of an alert. It is no cheer: a viewer could send
    /// the same words.
    ///
    /// - Parameters:
    ///   - alert: Kind of the alert.
    ///   - receiver: Name of the receiver that confirmed it.
    ///   - device: The runner's device.
    package func send(confirmationOf alert: String, by receiver: String, to device: DeviceID) {
        let object = ["type": "alertConfirmed", "alert": alert, "by": receiver]
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return }
        _ = send(json: Array(data), to: device)
    }

    private func send(json: [UInt8], to device: DeviceID) -> Bool {
        let open = connections(of: device)
        for connection in open { send(.command(connection, json: json), to: connection) }
        return !open.isEmpty
    }
}
