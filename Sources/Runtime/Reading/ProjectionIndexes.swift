package import SegmentLog
package import SensorModel
import Sessions
package import Sharing
import Synchronization

/// The cache of projection indexes, for live and recorded sessions. An index is built by reading
/// the session at the first request. When the cache is full, the least recently used indexes first
/// lose the data that a trimmed finish holds back, which is read again faster than the session.
/// After that they are removed. Any thread.
package final class ProjectionIndexes: Sendable {
    fileprivate struct Key: Hashable {
        let session: SessionID
        /// A new session may have the ID of an erased one, whose index a reader may store late.
        let firstOffset: RecordOffset
        let rule: ProjectionRule

        init(_ summary: SessionSummary, _ rule: ProjectionRule) {
            session = summary.session
            firstOffset = summary.firstOffset
            self.rule = rule
        }
    }

    fileprivate struct Entry {
        let index: ProjectionIndex
        let bytes: Int
        var lastUse: UInt64
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    /// Room for about 100 sessions of an hour or more.
    package static let bytesMax = 22 << 20

    private let state = Mutex(State())

    package func index(
        of summary: SessionSummary, by rule: ProjectionRule
    ) -> ProjectionIndex? {
        state.withLock { state in
            let key = Key(summary, rule)
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.index
        }
    }

    package func keep(
        _ index: ProjectionIndex, of summary: SessionSummary, by rule: ProjectionRule
    ) {
        state.withLock { state in
            state.uses += 1
            state.put(index, at: Key(summary, rule), lastUse: state.uses)
            while state.bytes > Self.bytesMax, let oldest = state.oldest(where: \.index.hasHeld) {
                state.put(
                    oldest.value.index.withoutHeld(), at: oldest.key,
                    lastUse: oldest.value.lastUse)
            }
            while state.bytes > Self.bytesMax, state.entries.count > 1,
                let oldest = state.oldest(where: { _ in true })
            {
                state.remove(oldest.key)
            }
        }
    }

    /// Removes the indexes of erased sessions.
    package func forget(_ sessions: Set<SessionID>) {
        state.withLock { state in
            for key in state.entries.keys where sessions.contains(key.session) {
                state.remove(key)
            }
        }
    }
}

extension ProjectionIndexes.State {
    fileprivate func oldest(
        where condition: (ProjectionIndexes.Entry) -> Bool
    ) -> (key: ProjectionIndexes.Key, value: ProjectionIndexes.Entry)? {
        entries.filter { condition($0.value) }.min { $0.value.lastUse < $1.value.lastUse }
    }

    fileprivate mutating func put(
        _ index: ProjectionIndex, at key: ProjectionIndexes.Key, lastUse: UInt64
    ) {
        remove(key)
        let entry = ProjectionIndexes.Entry(index: index, bytes: index.bytes, lastUse: lastUse)
        entries[key] = entry
        bytes += entry.bytes
    }

    fileprivate mutating func remove(_ key: ProjectionIndexes.Key) {
        bytes -= entries.removeValue(forKey: key)?.bytes ?? 0
    }
}
