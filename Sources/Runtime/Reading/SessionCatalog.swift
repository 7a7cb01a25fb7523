import Ingest
package import SegmentLog
package import SensorModel
package import Sessions
package import Synchronization

/// The sessions of the log in memory, by device, in order of their beginning. A page of a list is
/// built from them without visiting all sessions. Any thread.
///
/// A session in the pipeline's memory may change in the log, so its summary is requested from the
/// log each time. The others are cached.
package final class SessionCatalog: Sendable {
    /// Owner of the requested sessions.
    package enum Owner: Hashable, Sendable {
        case anybody
        case device(DeviceID)
        /// Sessions of devices outside this set.
        case nobody(registered: Set<DeviceID>)
    }

    /// Bytes of a session here and in the log's lists: 0.8 KiB after a start, 1.0 KiB after 180,000
    /// sessions have begun one after the other.
    package static let bytesEach = 1024

    private let log: SegmentLog
    private let state: Mutex<SessionIndex>
    /// Number of summaries requested from the log; for tests.
    package let questions = Atomic(0)

    package init(log: SegmentLog) {
        self.log = log
        state = Mutex(SessionIndex(log.sessions()))
    }

    // MARK: Changes

    package func note(_ change: SessionMemory) {
        state.withLock { state in
            switch change {
            case .began(let session, let device, let first):
                state.remove(session)
                state.insert(
                    SessionIndex.Entry(
                        session: session, device: device, first: first.rawValue))
            case .held(let session):
                state.held.insert(session)
                state.released[session] = nil
            case .ended: break
            case .released(let session, let end):
                state.held.remove(session)
                state.released[session] = end
            }
        }
    }

    /// Updates sessions that the log has erased, or erased in part after a failure.
    package func erased(_ sessions: Set<SessionID>) {
        let end = log.writtenEnd
        let left = sessions.compactMap { log.summary(of: $0) }
        let gone = sessions.subtracting(left.map(\.session))
        state.withLock { state in
            state.remove(gone, keepingFrom: end.rawValue)
            for summary in left {
                state.replace(summary.session, by: summary, keepingFrom: end.rawValue)
            }
        }
    }

    /// Reloads the sessions from the log's index after old segments were deleted.
    package func reload() {
        let end = log.writtenEnd
        let fresh = SessionIndex(log.sessions())
        state.withLock { $0.replace(by: fresh, keepingFrom: end.rawValue) }
    }

    // MARK: Queries

    /// - Parameters:
    ///   - owner: Owner of the sessions.
    ///   - before: Sessions that began before this record; `nil`: from the newest on.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: At least 1.
    /// - Returns: Sessions, newest first, and whether there are more.
    package func page(
        of owner: Owner, before: RecordOffset? = nil, since: Timestamp? = nil, limit: Int
    ) -> (sessions: [SessionSummary], more: Bool) {
        var asked: Set<SessionID> = []
        while true {
            // Only summaries that the page may contain are requested from the log: sessions of
            // other owners cost nothing.
            let (page, changing) = state.withLock { state in
                state.page(
                    of: owner, before: before?.rawValue ?? .max, since: since, limit: limit,
                    besides: asked)
            }
            guard !changing.isEmpty else {
                return (Array(page.prefix(limit)), page.count > limit)
            }
            refresh(changing)
            asked.formUnion(changing.lazy.map(\.session))
        }
    }

    package func summary(of session: SessionID) -> SessionSummary? {
        refresh([session])
        return state.withLock { $0.entry(of: session)?.summary }
    }

    /// Device of a session, even if nothing of it is written yet; `nil`: no such session.
    package func device(of session: SessionID) -> DeviceID? {
        state.withLock { $0.entry(of: session)?.device }
    }

    /// The last record of each existing session.
    func lastOffsets(of sessions: [SessionID]) -> [SessionID: RecordOffset] {
        refresh(sessions)
        return state.withLock { state in
            sessions.reduce(into: [:]) { offsets, session in
                offsets[session] = state.entry(of: session)?.summary?.lastOffset
            }
        }
    }

    /// The device's sessions that may have records around an offset. Visits all its sessions.
    ///
    /// - Parameters:
    ///   - device: Device of the sessions.
    ///   - offset: The first record of each session is not after it, and
    ///     ``SessionSummary/lastOffset`` at most `beyond` before it.
    ///   - beyond: Largest distance of `offset` behind a session's last record.
    /// - Returns: Sessions, oldest first.
    package func sessions(
        of device: DeviceID, around offset: RecordOffset, beyond: UInt64
    ) -> [SessionSummary] {
        sessions(of: device, before: offset.rawValue + 1) {
            offset.rawValue <= $0.lastOffset.rawValue + beyond
        }
    }

    /// The device's sessions with frames in a range of device times. Visits all its sessions.
    ///
    /// - Returns: Sessions, oldest first by their first records.
    package func sessions(
        of device: DeviceID, during times: ClosedRange<Timestamp>
    ) -> [SessionSummary] {
        sessions(of: device, before: .max) { $0.deviceTimes?.overlaps(times) == true }
    }

    private func sessions(
        of device: DeviceID, before end: UInt64, where isMeant: (SessionSummary) -> Bool
    ) -> [SessionSummary] {
        let (found, changing) = state.withLock { state in
            var found: [SessionID] = []
            var changing: [SessionID] = []
            state.visit(.device(device), before: end) { entry in
                let isChanging = state.isChanging(entry.session)
                if isChanging { changing.append(entry.session) }
                if isChanging || entry.summary.map(isMeant) == true { found.append(entry.session) }
                return true
            }
            return (found, changing)
        }
        refresh(changing)
        return state.withLock { state in
            found.reversed().compactMap { state.entry(of: $0)?.summary }.filter(isMeant)
        }
    }

    /// Whether the pipeline has the session in memory.
    package func isHeld(_ session: SessionID) -> Bool {
        state.withLock { $0.held.contains(session) }
    }

    /// The highest number of a device with sessions; `nil` without sessions.
    var highestDevice: DeviceID? { state.withLock { $0.byDevice.keys.max() } }

    /// All sessions of an owner, including those without a written record.
    func sessionIDs(of owner: Owner) -> Set<SessionID> {
        state.withLock { state in
            var found: Set<SessionID> = []
            state.visit(owner, before: .max) { entry in
                found.insert(entry.session)
                return true
            }
            return found
        }
    }

    /// Number of all sessions.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Number of sessions by device, for devices with sessions.
    package var counts: [DeviceID: Int] { state.withLock { $0.byDevice.mapValues(\.count) } }

    /// Counts sessions; visits all sessions of the device.
    package func count(of device: DeviceID, arrivedBefore time: Timestamp) -> Int {
        state.withLock { state in
            var count = 0
            state.visit(.device(device), before: .max) { entry in
                if let arrival = entry.summary?.arrivalTimes.lowerBound, arrival < time {
                    count += 1
                }
                return true
            }
            return count
        }
    }

    package func count(of device: DeviceID) -> Int {
        state.withLock { $0.byDevice[device]?.count ?? 0 }
    }

    /// Counts a device's sessions, and all.
    func recorded(of device: DeviceID) -> SessionQuota.Count {
        state.withLock { state in
            SessionQuota.Count(
                own: state.byDevice[device]?.count ?? 0, all: state.entries.count)
        }
    }

    /// - Parameters:
    ///   - prefix: Beginning of an ID.
    ///   - device: Only its sessions count; `nil`: all.
    /// - Returns: At most two sessions whose ID begins with `prefix`: only a single match is valid.
    package func sessions(
        withPrefix prefix: SessionPrefix, of device: DeviceID? = nil
    ) -> [SessionSummary] {
        let found = state.withLock { $0.sessions(withPrefix: prefix) }
        // Nothing is requested from the log for sessions of others. Sessions without written
        // records are not listed.
        let own = found.lazy.filter { device == nil || self.device(of: $0) == device }
        return Array(own.compactMap(summary).prefix(2))
    }

    private func refresh(_ sessions: [SessionID]) {
        refresh(
            state.withLock { state in
                sessions.filter(state.isChanging).compactMap(state.entry)
            })
    }

    /// Requests from the log the summaries of sessions held by the pipeline or released since.
    private func refresh(_ asked: [SessionIndex.Entry]) {
        guard !asked.isEmpty else { return }
        questions.add(asked.count, ordering: .relaxed)
        let end = log.writtenEnd
        let answers = asked.map { entry in
            (
                entry.session,
                log.summary(of: entry.session, since: RecordOffset(rawValue: entry.first))
            )
        }
        state.withLock { state in
            for (session, summary) in answers {
                guard let summary else { continue }
                state.update(session, summary, through: end)
            }
        }
    }
}

extension SessionSummary {
    /// Start of the run, not of its upload.
    package var startTime: Timestamp { deviceTimes?.lowerBound ?? arrivalTimes.lowerBound }
}
