import Ingest
import SegmentLog
package import SensorModel
import Sharing
import Synchronization

/// Effects of time on sessions: silence, ends, and the release of held updates.
extension SessionFlow {
    /// Does everything that is due by `now`: gives up holes, ends stale states and sessions,
    /// releases delayed updates.
    package func advance(to now: Timestamp) {
        self.now = now
        if let deadline = table.nextDeadline, deadline <= now {
            table.advance(to: now)
            recordReleased()
        }
        hub.release(at: now)
        restoreSome()
        followSettings()
    }

    /// The time at which ``advance(to:)`` next has work; `nil`: none before new input.
    package var nextDeadline: Timestamp? {
        [table.nextDeadline, hub.nextDeadline, nextRestoring, nextSettings].compactMap { $0 }.min()
    }

    /// Schedules a wake-up for the time when silence changes something of the session.
    func watch(_ live: LiveSession) {
        var deadline = live.nextDeadline(silenceMicroseconds: silenceMicroseconds)
        if decidable < now, let due = live.views.nextDeadline, due <= now {
            // Unprocessed input prevents the decision; a later turn tries again.
            let silence = live.nextSilence(silenceMicroseconds: silenceMicroseconds)
            let retry = now.advanced(byMicroseconds: Self.retryMicroseconds)
            deadline = min(silence ?? retry, retry)
        }
        table.wake(live.id, at: deadline)
    }

    private static let retryMicroseconds: Int64 = 1_000_000

    /// Applies the changes that the passage of time causes in a session.
    func noteTime(of session: SessionID) {
        guard let live = sessions[session], live.computation != nil else { return }
        for dated in live.views.advance(to: decidable) {
            hub.publish(dated, of: live.device, at: now)
        }
        noteEndInView(of: live)
        let silence = live.nextSilence(silenceMicroseconds: silenceMicroseconds)
        if let silence, silence <= now { noteSilence(of: live) }
        watch(live)
    }

    /// Notes whether shares with positions are shown the session's end. Only their own view decides,
    /// which ends when the runner has been hidden for long: after that, the real end would reveal
    /// how long the hidden way was.
    func noteEndInView(of live: LiveSession) {
        guard live.views.hasEndedInView else { return }
        hub.sessionEndedInView(live.id, of: live.device, at: now)
    }

    private func noteSilence(of live: LiveSession) {
        let silence = now.microseconds - live.lastArrival.microseconds
        guard silence < silenceMicroseconds else { return end(live) }
        live.notBefore = now.advanced(byMicroseconds: 1_000_000)
        recorder.record(.silence, deviceTime: deviceTime(of: live), of: live, arrival: now)
    }

    func evict(_ live: LiveSession) {
        _ = sessions.remove(live.id)
        if live.rebuilding != nil { callbacks.stopRebuilding(live.id) }
        callbacks.memory(.released(live.id, before: log.nextOffset))
        if !live.hasEnded {
            hub.sessionEnded(
                live.id, of: live.device, at: now, through: cursor.offset, isInView: true)
        } else {
            // Its held updates are no longer shown.
            hub.sessionEndedInView(live.id, of: live.device, at: now)
        }
        if let connection = table.connection(of: live.id) {
            // The device will send its unacknowledged frames again; they must not restore the
            // session.
            table.close(connection)
            callbacks.disconnect(connection)
        }
        if !isForgotten(live.id) { leaving.insert(live.id) }
        counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
    }

    /// The current time by the device's clock.
    private func deviceTime(of live: LiveSession) -> Timestamp {
        let silence = now.microseconds - live.lastArrival.microseconds
        return table.clock(of: live.id)?.deviceTime(at: now)
            ?? live.lastDeviceTime.advanced(byMicroseconds: max(0, silence))
    }

    func end(_ live: LiveSession) {
        live.notBefore = now.advanced(byMicroseconds: 1_000_000)
        recorder.record(.ended, deviceTime: deviceTime(of: live), of: live, arrival: now)
        live.hasEnded = true
        live.isEndedBySilence = true
        live.noteOver(at: now)
        hub.sessionEnded(
            live.id, of: live.device, at: now, through: cursor.offset,
            isInView: live.views.hasEndedInView)
        counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
        callbacks.memory(.ended(live.id, live.device))
    }
}
