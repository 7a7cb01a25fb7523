import SensorModel

extension DeviceConnection {
    /// The network with which it shares its turns.
    var network: PeerAddress.Prefix { origin.peer.widestNetwork }

    /// Handles a half-closed socket: the peer sends no more, as `nc` at the end of its input, but
    /// still expects the acks for its frames. The port finishes after the last ack.
    func inputEnded() {
        peerHasEnded = true
        guard !isWaiting else { return }
        if !tellEnded() { _ = wait() }
        loop.inbound.publish()
    }

    /// Pushes a record that follows all frames of the connection, so that no ack of them is missed.
    func tellEnded() -> Bool {
        guard isOpen else {
            port?.finish()
            return true
        }
        return payOwed() && loop.inbound.push(.finished(id, arrival: loop.arrivalClock()))
    }

    /// Ends a half-closed connection once all frames of the device are acknowledged.
    func finish() {
        if peerHasEnded { port?.finish() }
    }

    /// Handles the socket's end: waiting data still goes into the ring, followed by the end.
    func socketClosed() {
        peerIsGone = true
        loop.remove(self)
        if isWaiting {
            guard !mayLeave() else { return }
            discard()
        }
        if !end() {
            isWaiting = true
            loop.inbound.wait(self, for: nil)
        }
        loop.inbound.publish()
    }

    /// - Returns: `false` if the device's closed connections have left too much already.
    private func mayLeave() -> Bool {
        let bytes = LeftBytes.ofConnection + (port?.waitingBytes ?? 0)
        guard isOpen, let left, left.take(bytes) else { return false }
        leftBytes = bytes
        return true
    }

    /// Drops the waiting data: nothing of it is acknowledged, so the device sends it again.
    private func discard() {
        loop.inbound.forget(self, need)
        (isWaiting, need) = (false, nil)
        if awaitsOpening {
            loop.openingTurns.left(network)
        } else if case .awaitingHello = phase {
            loop.helloTurns.left(network)
        }
        if isOpen { phase = .closed(wasOpen: true) }
        // The pipeline does not know of an opening that is still owed.
        if owed != nil { (owed, phase) = (nil, .closed(wasOpen: false)) }
        port?.release()
        port = nil
    }

    func end() -> Bool {
        let wasOpen =
            switch phase {
            case .open: true
            case .awaitingHello: false
            case .closed(let wasOpen): wasOpen
            }
        if wasOpen {
            guard payOwed(),
                loop.inbound.push(.closed(id, arrival: loop.arrivalClock()))
            else { return false }
        }
        phase = .closed(wasOpen: false)
        left?.release(leftBytes)
        leftBytes = 0
        port?.release()
        port = nil
        return true
    }
}
