import Foundation
import SensorModel
import Transport

extension PipelineCore {
    /// - Returns: Whether a connection of the device was there to take it.
    @discardableResult
    func send(command: String, to device: DeviceID) -> Bool {
        send(json: Array(#"{"command":"\#(command)"}"#.utf8), to: device)
    }

    /// A spectator's words for the runner.
    @discardableResult
    func send(cheer text: String, to device: DeviceID) -> Bool {
        let object = ["type": "cheer", "text": text]
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return false }
        return send(json: Array(data), to: device)
    }

    private func send(json: [UInt8], to device: DeviceID) -> Bool {
        let open = connections(of: device)
        for connection in open { send(.command(connection, json: json), to: connection) }
        return !open.isEmpty
    }
}
