import SensorModel
import Sharing

extension ShareBoard {
    /// Whether somebody watches a share of the device from which something is hidden.
    func hasViewersOfHiding(of device: DeviceID) -> Bool {
        sharesObeying(of: device).contains { entries[$0.key]?.viewers.isEmpty == false }
    }

    /// The session's view is given up: who watches it, or waits for its first shown point, must come
    /// again, and has it read again.
    func sessionWithheld(_ session: SessionID, of device: DeviceID) {
        for share in sharesObeying(of: device) {
            guard let showing = showing(on: share), showing != session else {
                close(share.key, code: .restarting)
                continue
            }
        }
    }

    private func sharesObeying(of device: DeviceID) -> [Share] {
        directory.shares(of: device).filter(\.obeysPrivacy)
    }
}
