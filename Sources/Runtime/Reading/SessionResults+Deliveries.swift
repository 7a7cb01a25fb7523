package import Registry
package import SensorModel
import Synchronization

/// What is delivered of sessions. It goes with the session.
extension SessionResults {
    /// Notes that a session is to be delivered. One that is being removed is not: the note of it
    /// would outlive the session.
    ///
    /// - Parameters:
    ///   - session: A session of the target's device.
    ///   - target: The target.
    ///   - device: The device of both.
    ///   - now: Time of the request.
    ///   - isAgain: Whether it is delivered although it was before.
    /// - Returns: The new delivery; `nil`: there is one already, or no such target.
    /// - Throws: ``RegistryError``, ``AdministrationError/unknownSession(_:)``
    package func addDelivery(
        of session: SessionID, to target: DeliveryTarget, of device: DeviceID, at now: Timestamp,
        isAgain: Bool = false
    ) throws -> Delivery? {
        try writing.withLock { removing in
            guard removing[session] == nil, catalog.device(of: session) == device else {
                throw AdministrationError.unknownSession(session)
            }
            return try registry.addDelivery(
                of: session, to: target.id, at: now, isAgain: isAgain)
        }
    }
}
