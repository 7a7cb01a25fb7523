public import SensorModel

extension SessionTable {
    private static let looseMicroseconds: Int64 = 1_000_000

    /// When ``advance(to:)`` has something to do; `nil` while no session waits for a time.
    ///
    /// May be early, never late.
    public var nextDeadline: Timestamp? { deadlines.first?.time }

    /// Gives up holes that have held frames back for too long, and wakes sessions.
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

    /// Asks for a ``Release/wake(_:)`` when nothing may come any more that would do it.
    ///
    /// - Parameters:
    ///   - session: One moment each; a new one takes the place of the last.
    ///   - time: Of arrival; `nil`: never.
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

    /// Puts a session into the queue unless an entry no later is there: it asks again by itself.
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

    /// Holes are timed by the arrival clock. When that is set back, what is held starts to wait
    /// anew: two seconds more are better than the hour that the clock went back.
    /// Event loops read it at slightly different moments, which is no setting back.
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
