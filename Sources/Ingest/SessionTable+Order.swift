public import SensorModel

extension SessionTable {
    /// Decides on a valid frame.
    ///
    /// - Parameters:
    ///   - header: A valid header of a recorded kind.
    ///   - payload: The payload; copied only if the frame has to wait.
    ///   - connection: The frame's connection.
    ///   - arrivalTime: Arrival of the frame.
    /// - Returns: The decision. Empty ``popReleased()`` after it.
    public mutating func accept(
        _ header: FrameHeader, payload: Span<UInt8>, from connection: ConnectionID,
        at arrivalTime: Timestamp
    ) -> FrameDecision {
        noteTime(arrivalTime)
        guard let slot = slot(of: connection) else { return .notOpen }
        let session = sessions[slot].session
        sessions[slot].isUsed = true
        guard header.sequence.isCounted else {
            sessions[slot].countArrival(of: header.kind)
            sessions[slot].clock.observe(header.deviceTime, at: arrivalTime)
            return .record(session: session, sequence: .none, late: false)
        }
        let sequence = header.sequence.rawValue
        switch sessions[slot].place(of: sequence) {
        case .next:
            sessions[slot].pass(sequence)
            sessions[slot].clock.observe(header.deviceTime, at: arrivalTime)
            if !sessions[slot].held.isEmpty { releaseInOrder(slot) }
            return .record(session: session, sequence: header.sequence, late: false)
        case .late: return .record(session: session, sequence: header.sequence, late: true)
        case .duplicate: return .duplicate
        case .ahead:
            var copy: [UInt8] = []
            copy.reserveCapacity(payload.count)
            for index in payload.indices { copy.append(payload[index]) }
            hold(
                HeldFrames.Held(
                    header: header, payload: copy, arrivalTime: arrivalTime, refused: false),
                slot)
            return .held
        }
    }

    /// Passes the number of a refused frame; no record follows.
    ///
    /// - Parameters:
    ///   - sequence: The frame's sequence; without one the call does nothing.
    ///   - connection: The frame's connection.
    ///   - arrivalTime: Arrival of the frame.
    public mutating func refuse(
        _ sequence: FrameSequence, from connection: ConnectionID, at arrivalTime: Timestamp
    ) {
        noteTime(arrivalTime)
        guard sequence.isCounted, let slot = slot(of: connection) else { return }
        sessions[slot].isUsed = true
        switch sessions[slot].place(of: sequence.rawValue) {
        case .next:
            sessions[slot].pass(sequence.rawValue)
            passInAcks(sequence.rawValue, slot)
            releaseInOrder(slot)
        case .late, .duplicate: return
        case .ahead:
            let header = FrameHeader(kind: .marker, sequence: sequence, deviceTime: arrivalTime)
            hold(
                HeldFrames.Held(
                    header: header, payload: [], arrivalTime: arrivalTime, refused: true),
                slot)
        }
    }

    /// The next released item, in order; `nil` if there is none.
    public mutating func popReleased() -> Release? {
        while releasedCount < releases.count {
            releasedCount += 1
            switch releases[releasedCount - 1] {
            case .out(let release): return release
            case .passed(let session, let sequence):
                // The log now has the frames before the refused one, and the ack waits for them.
                if let slot = slot(of: session) { passInAcks(sequence, slot) }
            }
        }
        releases.removeAll(keepingCapacity: true)
        releasedCount = 0
        return nil
    }

    private mutating func hold(_ held: HeldFrames.Held, _ slot: Int) {
        if sessions[slot].held.insert(held) { heldBytesTotal += held.payload.count }
        // Release an eighth at once, because each release moves all remaining frames. Otherwise a
        // device that skips every second number would make each frame move a thousand.
        while isHoldingTooMuch(slot) { release(max(1, sessions[slot].held.count / 8), slot) }
        scheduleDeadline(slot)
    }

    private func isHoldingTooMuch(_ slot: Int) -> Bool {
        let frames = sessions[slot].held.count
        let bytes = sessions[slot].held.payloadBytes
        return frames > settings.heldFramesMax || (frames > 0 && bytes > settings.heldBytesMax)
            || (bytes > 0 && heldBytesTotal > settings.heldBytesTotalMax)
    }

    /// Releases the held frames that follow the last passed number.
    private mutating func releaseInOrder(_ slot: Int) {
        guard let first = sessions[slot].held.firstSequence, UInt64(first) == sessions[slot].next
        else { return }
        release(1, slot)
    }

    /// Releases the first `count` held frames, and the consecutive ones after them.
    mutating func release(_ count: Int, _ slot: Int) {
        guard count > 0 else { return }
        let session = sessions[slot].session
        let total = count - 1 + sessions[slot].held.countWithoutHole(from: count - 1)
        for held in sessions[slot].held.removeFirst(total) {
            if let missing = sessions[slot].passHole(to: held.sequence) {
                // No ack passes a gap before the frame after it: by then the gap is on disk too.
                releases.append(
                    .out(
                        .gap(
                            session: session,
                            from: FrameSequence(rawValue: missing.lowerBound),
                            to: FrameSequence(rawValue: missing.upperBound))))
            }
            sessions[slot].pass(held.sequence)
            heldBytesTotal -= held.payload.count
            guard !held.refused else {
                releases.append(.passed(session, held.sequence))
                continue
            }
            sessions[slot].clock.observe(held.header.deviceTime, at: held.arrivalTime)
            releases.append(
                .out(
                    .frame(
                        ReleasedFrame(
                            session: session, header: held.header, payload: held.payload,
                            arrivalTime: held.arrivalTime))))
        }
    }

    private mutating func passInAcks(_ sequence: UInt32, _ slot: Int) {
        awaitAck(slot)
        sessions[slot].acks.passed(sequence)
    }
}
