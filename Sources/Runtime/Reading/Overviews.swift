import SegmentLog
package import SensorModel
import Sessions
import Sharing
import Synchronization

/// The cache of overviews, which continue with each new record of their sessions. Each holds exactly
/// what one kind of share shows: another rule, scope or delay has an overview of its own. When the
/// cache is full, the least recently used are removed. Any thread.
package final class Overviews: Sendable {
    /// What decides which items a share's history of a session has.
    struct Key: Hashable {
        let session: SessionID
        let device: DeviceID
        /// Changes when retention removes the session's beginning. A new session may have the ID of
        /// an erased one.
        let firstOffset: RecordOffset
        let rule: ProjectionRule
        let scope: Scope
        let delaySeconds: Int
        let secondsLate: Double
    }

    /// An overview, and where it continues.
    struct Entry {
        var overview: SessionOverview
        var position: ShownRecords.Position
        /// The session's number of records at the last reading.
        var records = 0
        /// Time of the last complete reading; `nil`: none was complete yet. Arrival clock.
        var readAt: Timestamp?
        /// Answers made since that reading.
        var answers: [Form: [UInt8]] = [:]

        var bytes: Int {
            1024 + overview.bytes + position.bytes + answers.values.reduce(0) { $0 + $1.count }
        }
    }

    /// The form of an answer.
    struct Form: Hashable {
        let points: Int
        let runner: String?
        let isCompressed: Bool
    }

    fileprivate struct State {
        var entries: [Key: (entry: Entry, bytes: Int, lastUse: UInt64)] = [:]
        var bytes = 0
        var uses: UInt64 = 0
        /// Increases when sessions are forgotten.
        var generation: UInt64 = 0
    }

    /// Room for about 120 sessions, more than two groups.
    package static let bytesMax = 8 << 20
    /// Answers of one overview that are kept.
    private static let answersMax = 2

    private let state = Mutex(State())

    /// A number that changes when sessions are forgotten: a reading begun before keeps nothing.
    var generation: UInt64 { state.withLock { $0.generation } }

    func entry(at key: Key) -> Entry? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.entry
        }
    }

    /// Keeps an overview, unless sessions were forgotten since ``generation`` was read.
    func keep(_ entry: Entry, at key: Key, _ generation: UInt64) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.uses += 1
            state.put(entry, at: key)
        }
    }

    /// Keeps an answer, if the overview was not read again since.
    func keep(_ answer: [UInt8], as form: Form, at key: Key, readAt: Timestamp?) {
        state.withLock { state in
            guard var entry = state.entries[key]?.entry, entry.readAt == readAt else { return }
            if entry.answers.count >= Self.answersMax { entry.answers.removeAll() }
            entry.answers[form] = answer
            state.put(entry, at: key)
        }
    }

    /// Removes the overviews of erased sessions.
    package func forget(_ sessions: Set<SessionID>) {
        forget { sessions.contains($0.session) }
    }

    /// Removes the overviews of a device that hides other places now, or has ended a share. Nobody
    /// gets them by the new settings, so they need no memory.
    package func forget(of device: DeviceID) {
        forget { $0.device == device }
    }

    private func forget(_ condition: (Key) -> Bool) {
        state.withLock { state in
            state.generation += 1
            for key in state.entries.keys where condition(key) { state.remove(key) }
        }
    }

    /// Number of overviews and their bytes; for tests.
    package var usage: (count: Int, bytes: Int) {
        state.withLock { ($0.entries.count, $0.bytes) }
    }
}

extension Overviews.State {
    fileprivate mutating func put(_ entry: Overviews.Entry, at key: Overviews.Key) {
        remove(key)
        let size = entry.bytes
        entries[key] = (entry, size, uses)
        bytes += size
        while bytes > Overviews.bytesMax, entries.count > 1,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            remove(oldest.key)
        }
    }

    fileprivate mutating func remove(_ key: Overviews.Key) {
        bytes -= entries.removeValue(forKey: key)?.bytes ?? 0
    }
}
