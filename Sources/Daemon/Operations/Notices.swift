import Logging
import SensorModel

/// Tells the journal of what an operator may have to know of a session, and the owner's other
/// systems of what they asked for.
struct Notices: Sendable {
    let accounts: Accounts
    let webhooks: Webhooks?
    let logger: Logger

    @Sendable func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID) {
        webhooks?.take(event, of: session, from: device)
        // Most events are of no note: it is made only where it is written.
        var place: Logger.Metadata {
            ["session": "\(session)", "device": "\(accounts.name(of: device))"]
        }
        switch event.kind {
        case .alert(let alert) where alert.severity == .emergency:
            logger.log(.alert, .warning, "alert: \(alert.kind.name) \(alert.phase.name)", place)
        case .gap(let from, let to):
            logger.log(
                .framesMissing, .info,
                "frames \(from.rawValue) to \(to.rawValue) never came", place)
        case .ended: logger.log(.sessionOver, .info, "session over", place)
        default: break
        }
    }
}
