package import Registry
package import SensorModel
import Synchronization

/// What owners write about their sessions. It goes with the session.
extension SessionResults {
    /// Blocks on the disk.
    ///
    /// - Returns: Notes by session, none for a session without one.
    /// - Throws: ``RegistryError``
    package func notes(
        of sessions: [SessionID]
    ) throws(RegistryError) -> [SessionID: SessionNote] {
        try registry.notes(of: sessions)
    }

    /// Blocks on the disk.
    ///
    /// - Returns: Perceived exertion by session, for the device's sessions that have one.
    /// - Throws: ``RegistryError``
    package func exertions(of device: DeviceID) throws(RegistryError) -> [SessionID: Int] {
        try registry.exertions(of: device)
    }

    /// Changes a note. A session that is being removed gets none: it would outlive the session.
    ///
    /// - Parameters:
    ///   - session: A session in the log.
    ///   - device: The session's device.
    ///   - change: Returns the new note, given the current one.
    /// - Returns: The note after the change.
    /// - Throws: ``RegistryError``, ``AdministrationError/unknownSession(_:)``; errors of `change`.
    package func changeNote(
        of session: SessionID, of device: DeviceID, _ change: (SessionNote) throws -> SessionNote
    ) throws -> SessionNote {
        try writing.withLock { removing in
            guard removing[session] == nil, catalog.device(of: session) == device else {
                throw AdministrationError.unknownSession(session)
            }
            let note = try change(try registry.notes(of: [session])[session] ?? SessionNote())
            try registry.setNote(note, of: session, of: device)
            return note
        }
    }
}
