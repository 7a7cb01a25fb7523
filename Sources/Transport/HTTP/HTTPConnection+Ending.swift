import NIOCore
import SensorModel

/// The ends of a connection: its client is too slow, the daemon stops, or another protocol begins.
extension HTTPConnection {
    func deadlineReached(_ tick: Int) -> Int? {
        switch stage {
        case .idle:
            // A partial head deserves an answer; an idle peer does not.
            if buffer.hasBegun { refuse(.tooSlow) } else { closeGently() }
            return 2
        case .reading:
            let elapsed = NIODeadline.now() - bodyStarted
            let earned =
                limits.bodySeconds + body.bytes.count / max(1, limits.bodyBytesPerSecondMin)
            let left = earned - Int(elapsed.nanoseconds / 1_000_000_000)
            guard left <= 0 else { return left }
            refuse(.tooSlow)
            return 2
        case .closing:
            abort()
            return nil
        case .answering:
            // The client has stopped reading a streamed body; others need the memory.
            context?.channel.drop()
            return nil
        case .upgraded: return nil
        }
    }

    /// Limits the client's time to read a part of a streamed body, by the rule for the sending of
    /// a request's body.
    func limitWriting(bytes: Int) {
        let seconds = limits.bodySeconds + bytes / max(1, limits.bodyBytesPerSecondMin)
        loop.setDeadline(&deadline, of: self, inSeconds: seconds)
    }

    func stopLimitingWriting() {
        guard case .answering = stage else { return }
        deadline?.cancel()
        deadline = nil
    }

    /// Stops writing, and discards input until the peer closes or the time is up.
    ///
    /// Closing with unread bytes would reset the connection, and a reset can overtake the answer.
    func closeGently() {
        stage = .closing
        waiting.removeAll()
        buffer.end()
        guard let context else { return }
        context.channel.close(mode: .output, promise: nil)
        loop.setDeadline(&deadline, of: self, inSeconds: 2 + readingSeconds)
    }

    func goAway(_: CloseCode) {
        isStopping = true
        switch stage {
        case .idle: closeGently()
        case .reading, .answering: keepsAlive = false
        case .closing, .upgraded: break
        }
    }

    /// Closes at once, without a reset: the bytes that the kernel has accepted, mostly the end of
    /// an answer, still reach a slow peer.
    func abort() {
        context?.channel.drop(isReset: false)
    }

    /// Hands the socket over; this object is not used afterwards.
    func detach(_ request: HTTPRequest) -> UpgradedSocket? {
        guard let context, case .answering = stage else { return nil }
        stage = .upgraded
        deadline?.cancel()
        loop.remove(self)
        return UpgradedSocket(
            channel: context.channel, loop: loop, service: service, request: request,
            ticket: ticket, records: records)
    }
}
