public import SensorModel

extension SessionTable {
    private static let looseMicroseconds: Int64 = 1_000_000

    /// The next time at which ``advance(to:)`` has work; `nil` if no session waits.
    ///
    /// It may be early, never late.
    public var nextDeadline: Timestamp? { deadlines.first?.time }

    /// A time before which no held frame arrived; `nil` if no frame is held.
    public var heldSince: Timestamp? {
        guard heldBytesTotal > 0 else { return nil }
        return latestTime?.advanced(byMicroseconds: -settings.holdMicroseconds)
    }

    /// Gives up holes that have delayed frames for too long, and wakes sessions.
    public mutating func advance(to time: Timestamp) {
        noteTime(time)
        while let entry = deadlines.first, entry.time <= time {
            deadlines.popFirst()
            guard generations[entry.slot] == entry.generation else { continue }
            if sessions[entry.slot].queuedDeadline == entry.time {
                sessions[entry.slot].queuedDeadline = nil
            }
            meetDeadline(entry.slot, time)
            scheduleDeadline(entry.slot)
        }
    }

    /// Requests a ``Release/wake(_:)`` at a time, even if no frame arrives.
    ///
    /// - Parameters:
    ///   - session: A session. It has one wake time; a new one replaces the last.
    ///   - time: Arrival time; `nil`: never.
    public mutating func wake(_ session: SessionID, at time: Timestamp?) {
        guard let slot = slot(of: session) else { return }
        sessions[slot].wakeTime = time
        scheduleDeadline(slot)
    }

    private mutating func meetDeadline(_ slot: Int, _ time: Timestamp) {
        let limit = time.advanced(byMicroseconds: -settings.holdMicroseconds)
        if let oldest = sessions[slot].held.oldestArrival, oldest <= limit {
            release(sessions[slot].held.countUntilNone(before: limit), slot)
        }
        if let wakeTime = sessions[slot].wakeTime, wakeTime <= time {
            sessions[slot].wakeTime = nil
            releases.append(.out(.wake(sessions[slot].session)))
        }
    }

    /// Queues a session's deadline, unless an earlier entry exists; that entry queues it again.
    mutating func scheduleDeadline(_ slot: Int) {
        let holdEnd = sessions[slot].held.oldestArrival?
            .advanced(byMicroseconds: settings.holdMicroseconds)
        let wakeTime = sessions[slot].wakeTime
        guard let time = holdEnd ?? wakeTime else { return }
        let earlier = min(time, wakeTime ?? time)
        if let queued = sessions[slot].queuedDeadline, queued <= earlier { return }
        sessions[slot].queuedDeadline = earlier
        deadlines.push(
            DeadlineQueue.Entry(time: earlier, slot: slot, generation: generations[slot]))
    }

    /// Notes the arrival clock, which times holes.
    ///
    /// When it is set back, held frames start their wait again: two more seconds are better than
    /// the hour that the clock went back. Differences of up to a second are no set-back, because
    /// event loops read the clock at slightly different moments.
    mutating func noteTime(_ time: Timestamp) {
        guard let latest = latestTime, time < latest else {
            latestTime = time
            return
        }
        guard latest.microseconds - time.microseconds > Self.looseMicroseconds else { return }
        latestTime = time
        deadlines = DeadlineQueue()
        for slot in slotOfSession.values {
            sessions[slot].held.clockWentBack(to: time)
            sessions[slot].queuedDeadline = nil
            scheduleDeadline(slot)
        }
    }
}
