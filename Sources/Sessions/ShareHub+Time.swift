package import SensorModel
import Sharing

/// Held updates of delayed shares, and their due times.
extension ShareHub {
    /// Time of the next delayed update; `nil`: none is pending.
    package var nextDeadline: Timestamp? {
        var next: Timestamp?
        for view in delayed.values {
            guard let due = view.nextDeadline else { continue }
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    package func release(at now: Timestamp) {
        noteTime(now)
        guard let next = nextDeadline, next <= now else { return }
        for kind in Array(delayed.keys) {
            guard let due = delayed[kind]?.nextDeadline, due <= now else { continue }
            for release in delayed[kind]?.release(at: now) ?? [] {
                for key in release.shares { broadcast(release.update, of: key) }
            }
        }
    }

    /// Handles a clock that was set back, since a delay must have its full length of real time. The
    /// size of the jump is known except for the time without input before it, so held updates wait
    /// longer by at most that time.
    private func noteTime(_ now: Timestamp) {
        defer { latestTime = now }
        let difference = latestTime.map { $0.microseconds - now.microseconds } ?? 0
        // Event loops read the clock at slightly different moments.
        guard difference > 1_000_000 else { return }
        sessions.clockWentBack(byMicroseconds: difference)
        for kind in delayed.keys {
            delayed[kind]?.clockWentBack(byMicroseconds: difference)
        }
    }
}
