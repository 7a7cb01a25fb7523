public import SensorModel

/// The connections of the sessions.
extension SessionTable {
    /// Opens a session after an accepted hello.
    ///
    /// - Parameters:
    ///   - connection: The hello's connection; a second hello moves it to the new session.
    ///   - device: The device of the token.
    ///   - session: The session in the hello.
    ///   - recorded: The flag in the hello; a known session keeps its first one.
    /// - Returns: The answer, and the connection to close.
    public mutating func open(
        _ connection: ConnectionID, device: DeviceID, session: SessionID, recorded: Bool
    ) -> OpenDecision {
        let known = slotOfSession[session]
        if let known, sessions[known].device != device { return .foreign }
        let slot =
            known
            ?? insert(
                SessionState(
                    SessionRecovery(session: session, device: device, recorded: recorded)))
        let previous = sessions[slot].connection
        if slotOfConnection[connection] != slot { close(connection) }
        if let previous, previous != connection { detach(previous) }
        sessions[slot].connection = connection
        slotOfConnection[connection] = slot
        return .opened(
            acknowledged: FrameSequence(rawValue: sessions[slot].acks.acknowledged),
            isNew: known == nil, replaces: previous == connection ? nil : previous)
    }

    /// Removes the connection; its session stays, and its held frames continue to wait.
    ///
    /// A session without any frame is removed too: a hello alone must not cost memory for ever.
    public mutating func close(_ connection: ConnectionID) {
        guard let slot = slotOfConnection[connection] else { return }
        detach(connection)
        if !sessions[slot].isUsed { erase(sessions[slot].session) }
    }

    mutating func detach(_ connection: ConnectionID) {
        guard let slot = slotOfConnection.removeValue(forKey: connection) else { return }
        sessions[slot].connection = nil
        lastConnection = nil
    }

    public func session(of connection: ConnectionID) -> SessionID? {
        slotOfConnection[connection].flatMap { sessions[$0].session }
    }

    public func connection(of session: SessionID) -> ConnectionID? {
        slotOfSession[session].flatMap { sessions[$0].connection }
    }
}
