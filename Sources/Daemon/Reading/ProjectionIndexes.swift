import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization

/// Indexes of sessions, live and recorded, each made by reading the session when somebody first asks,
/// kept while they are used. The only ones there are. Any thread.
final class ProjectionIndexes: Sendable {
    fileprivate struct Key: Hashable {
        let session: SessionID
        let rule: ProjectionRule
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

    /// About 150 sessions of an hour or more.
    static let bytesMax = 32 << 20

    private let state = Mutex(State())

    func index(of session: SessionID, by rule: ProjectionRule) -> ProjectionIndex? {
        state.withLock { state in
            let key = Key(session: session, rule: rule)
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.index
        }
    }

    func keep(_ index: ProjectionIndex, of session: SessionID, by rule: ProjectionRule) {
        let bytes = index.bytes
        state.withLock { state in
            let key = Key(session: session, rule: rule)
            state.remove(key)
            state.uses += 1
            state.entries[key] = Entry(index: index, bytes: bytes, lastUse: state.uses)
            state.bytes += bytes
            while state.bytes > Self.bytesMax, state.entries.count > 1,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.remove(oldest.key)
            }
        }
    }

    /// The session is erased: one of the same ID would be another.
    func forget(_ sessions: Set<SessionID>) {
        state.withLock { state in
            for key in state.entries.keys where sessions.contains(key.session) {
                state.remove(key)
            }
        }
    }
}

extension ProjectionIndexes.State {
    fileprivate mutating func remove(_ key: ProjectionIndexes.Key) {
        bytes -= entries.removeValue(forKey: key)?.bytes ?? 0
    }
}
