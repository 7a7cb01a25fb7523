package import SensorModel
package import Sharing

extension ShareHub {
    /// Whether a share of the device from which something is hidden has viewers.
    func hasViewersOfHiding(of device: DeviceID) -> Bool {
        sharesHidingPlaces(of: device).contains { entries[$0.key]?.viewers.isEmpty == false }
    }

    /// Called when the session's view is withheld. Viewers of it, and those that wait for its first
    /// shown point, are closed; their reconnects cause the session to be read again.
    func sessionWithheld(_ session: SessionID, of device: DeviceID) {
        for share in sharesHidingPlaces(of: device) {
            guard let showing = showing(on: share), showing != session else {
                close(share.key, code: .restarting)
                continue
            }
        }
    }

    /// The session that must be read to know which one the share shows; `nil` if that is known.
    package func unresolved(
        by share: Share, at now: Timestamp
    ) -> DeviceSessions.Unresolved? {
        sessions.unresolved(by: share, at: now)
    }

    /// Notes when a session that was read came into view; `nil`: it did not.
    package func resolve(
        _ session: SessionID, of device: DeviceID, cameIntoView time: Timestamp?
    ) {
        sessions.resolve(session, of: device, cameIntoView: time)
    }

    /// Notes when a session that was read ended first; `nil`: it did not.
    package func resolve(_ session: SessionID, of device: DeviceID, ended time: Timestamp?) {
        sessions.resolve(session, of: device, ended: time)
    }

    /// Handles a change of the device's privacy settings.
    func privacyChanged(of device: DeviceID) {
        sessions.forgetViews(of: device)
        for share in directory.shares(of: device) { close(share.key, code: .restarting) }
    }

    private func sharesHidingPlaces(of device: DeviceID) -> [Share] {
        directory.shares(of: device).filter(\.hidesPlaces)
    }
}
