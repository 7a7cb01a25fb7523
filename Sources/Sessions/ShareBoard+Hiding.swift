import SensorModel
import Sharing

extension ShareBoard {
    /// Whether somebody watches a share of the device that shows positions.
    func hasViewersOfPositions(of device: DeviceID) -> Bool {
        sharesWithPositions(of: device).contains { entries[$0.key]?.viewers.isEmpty == false }
    }

    /// The session's view is given up: who watches it, or waits for its first shown point, must come
    /// again, and has it read again.
    func sessionWithheld(_ session: SessionID, of device: DeviceID) {
        for share in sharesWithPositions(of: device) {
            guard let showing = entries[share.key]?.showing, showing != session else {
                close(share.key, code: .restarting)
                continue
            }
        }
    }

    private func sharesWithPositions(of device: DeviceID) -> [Share] {
        directory.shares(of: device).filter { $0.scope.contains(.location) }
    }
}
