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
        let parts: OverviewParts
        let runner: String?
        let isCompressed: Bool
    }

    fileprivate struct State {
        var entries: [Key: (entry: Entry, bytes: Int, lastUse: UInt64)] = [:]
        var bytes = 0
        /// Bytes by device.
        var shares: [DeviceID: Int] = [:]
        var uses: UInt64 = 0
        /// What was forgotten since each reading under way has begun.
        var readings: [Reading: Forgotten] = [:]
    }

    /// A reading under way.
    struct Reading: Hashable {
        fileprivate let number: UInt64
    }

    fileprivate struct Forgotten {
        var sessions: Set<SessionID> = []
        var devices: Set<DeviceID> = []
    }

    /// Room for a group of 50, whatever happened on its runs, or about 120 usual sessions.
    package static let bytesMax = 8 << 20
    /// Room of one device: its links with another scope or delay have overviews of their own.
    static let deviceBytesMax = bytesMax / 8
    /// Answers of one overview that are kept.
    private static let answersMax = 2

    private let state = Mutex(State())

    /// Call it before what is read is looked up, and ``end(_:)`` behind it.
    func begin() -> Reading {
        state.withLock { state in
            state.uses += 1
            let reading = Reading(number: state.uses)
            state.readings[reading] = Forgotten()
            return reading
        }
    }

    func end(_ reading: Reading) { state.withLock { $0.readings[reading] = nil } }

    func entry(at key: Key) -> Entry? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.entry
        }
    }

    /// Keeps an overview, unless it was to be forgotten since the reading began.
    func keep(_ entry: Entry, at key: Key, of reading: Reading) {
        state.withLock { state in
            guard let forgotten = state.readings[reading],
                !forgotten.sessions.contains(key.session),
                !forgotten.devices.contains(key.device)
            else { return }
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
        forget({ sessions.contains($0.session) }) { $0.sessions.formUnion(sessions) }
    }

    /// Removes the overviews of a device that hides other places now, or has ended a share. Nobody
    /// gets them by the new settings, so they need no memory.
    package func forget(of device: DeviceID) {
        forget({ $0.device == device }) { $0.devices.insert(device) }
    }

    private func forget(_ condition: (Key) -> Bool, note: (inout Forgotten) -> Void) {
        state.withLock { state in
            for reading in state.readings.keys {
                note(&state.readings[reading, default: Forgotten()])
            }
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
        shares[key.device, default: 0] += size
        while shares[key.device, default: 0] > Overviews.deviceBytesMax,
            removeOldest(of: [key.device], but: key)
        {}
        while bytes > Overviews.bytesMax {
            // Whoever has more than an equal part gives way first.
            let part = Overviews.bytesMax / max(1, shares.count)
            let crowded = Set(shares.filter { $0.value > part }.keys)
            guard
                removeOldest(of: crowded, but: key)
                    || removeOldest(of: Set(shares.keys), but: key)
            else { return }
        }
    }

    /// - Returns: `false`: there is none.
    private mutating func removeOldest(of devices: Set<DeviceID>, but kept: Overviews.Key) -> Bool {
        let candidates = entries.filter { $0.key != kept && devices.contains($0.key.device) }
        guard let oldest = candidates.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return false
        }
        remove(oldest.key)
        return true
    }

    fileprivate mutating func remove(_ key: Overviews.Key) {
        guard let removed = entries.removeValue(forKey: key)?.bytes else { return }
        bytes -= removed
        let left = shares[key.device, default: 0] - removed
        shares[key.device] = left > 0 ? left : nil
    }
}
