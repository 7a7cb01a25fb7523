package import Ingest
import Processing
package import SegmentLog
package import SensorModel
import Sharing
import Synchronization

/// The path of a frame to the log, the processors and the hub, in a fixed order. It contains all
/// decisions of the pipeline, without its thread, rings, sockets and clock. Belongs to one thread.
///
///     frame ─▶ table ─▶ recorder ─▶ log
///                          └──────▶ processors ─▶ log, hub
package final class SessionFlow {
    package let log: SegmentLog
    package let hub: ShareHub
    package let recorder: SessionRecorder
    package let sessions: LiveSessions
    package let counters: FlowCounters
    package var table: SessionTable
    /// Arrival clock at the last ``advance(to:)``.
    package var now: Timestamp
    /// Arrival of the oldest input in the rings.
    var unreadSince: Timestamp?
    let callbacks: FlowCallbacks
    /// Limit on the memory of all views that hide something, in bytes.
    let hidingBytesMax: Int
    /// Limit on ``LiveSessions/bytes``.
    let sessionBytesMax: Int

    let silenceMicroseconds: Int64
    private let sessionsPerDeviceMax: Int
    private let sessionsMax: Int
    /// Sessions whose first record was written in this run, until the log lists them.
    var begun: [SessionID: DeviceID] = [:]
    /// Quotas for sessions that devices begin, in all and of the last day, and for their log bytes.
    var sessionPace = DevicePace.sessions
    var dailyPace = DevicePace.daily
    var logPace: DevicePace
    let quota: SessionQuota
    /// Connections whose device has used up its share of the log.
    var disconnected: Set<ConnectionID> = []
    /// Sessions evicted from memory whose acks or log entries are still pending.
    var leaving: Set<SessionID> = []
    /// Number of requests to the log so far.
    var rebuildings: UInt64 = 0
    /// Sessions that were read from the log and still have events or inputs to process.
    var restorings: [SessionID] = []
    /// Set when a session that was read from the log is live again; the reader clears the flag.
    package var hasRestored = false
    var settings = SettingsQueue()
    /// End of the durable records at the last acknowledgement.
    package private(set) var acknowledgedEnd = RecordOffset(rawValue: 0)

    /// - Parameters:
    ///   - log: An open log to which only this flow appends.
    ///   - ingest: Limits of the session table.
    ///   - silenceSeconds: Silence after which a session has ended.
    ///   - callbacks: Functions that the flow calls.
    ///   - counters: Counters that the flow updates.
    ///   - hidingBytesMax: Memory limit for all views that hide something, in bytes; `nil`: the
    ///     planned default.
    ///   - sessionBytesMax: Memory limit for all sessions with their splits and laps, in bytes;
    ///     `nil`: the default.
    ///   - now: Arrival clock.
    package init(
        log: SegmentLog, ingest: IngestSettings, silenceSeconds: Double, callbacks: FlowCallbacks,
        counters: FlowCounters, hidingBytesMax: Int? = nil, sessionBytesMax: Int? = nil,
        now: Timestamp
    ) {
        self.log = log
        self.hidingBytesMax = hidingBytesMax ?? SessionViews.hidingBytesMax
        self.sessionBytesMax = sessionBytesMax ?? ingest.sessionsMax * LiveSession.bytesMax
        self.callbacks = callbacks
        self.counters = counters
        self.now = now
        table = SessionTable(settings: ingest)
        silenceMicroseconds = Int64(silenceSeconds * 1_000_000)
        sessionsPerDeviceMax = ingest.sessionsPerDeviceMax
        sessionsMax = ingest.sessionsMax
        quota = SessionQuota(sessionsMax: ingest.sessionsRecordedMax)
        logPace = DevicePace.log(
            mebibytesPerDay: ingest.deviceMebibytesPerDay, retentionBytes: ingest.retentionBytes)
        let live = LiveSessions()
        sessions = live
        hub = ShareHub(
            send: callbacks.show,
            // While a session is read from the log, its views lack the log's events.
            views: { live[$0].flatMap { $0.isRead ? $0.views : nil } })
        recorder = SessionRecorder(
            log: log, hub: hub, counters: counters, complain: callbacks.complain,
            notice: callbacks.notice)
    }

    // MARK: From devices

    package func receive(
        _ header: FrameHeader, payload: Span<UInt8>, from connection: ConnectionID,
        arrival: Timestamp
    ) {
        switch table.accept(header, payload: payload, from: connection, at: arrival) {
        case .record(let session, let sequence, let late):
            if late { counters.framesLate.add(1, ordering: .relaxed) }
            var header = header
            header.sequence = sequence
            record(header, payload, of: session, late: late, arrival: arrival)
            recordReleased()
        case .duplicate: counters.framesDuplicate.add(1, ordering: .relaxed)
        case .held: recordReleased()
        case .notOpen: break
        }
    }

    /// Notes a refused frame, whose number is used but which must not be recorded.
    package func refuse(
        _ sequence: FrameSequence, from connection: ConnectionID, arrival: Timestamp
    ) {
        table.refuse(sequence, from: connection, at: arrival)
        recordReleased()
    }

    // MARK: Sessions

    /// Restores a session from before a restart, which continues where the log ends.
    func restore(_ session: SessionID) {
        guard table.clock(of: session) == nil, let summary = log.summary(of: session) else {
            return
        }
        table.restore(
            SessionRecovery(
                session: session, device: summary.device, highest: summary.highestSequence))
    }

    /// The session, if it has records. If it is not in memory, as after a restart, its processors
    /// are rebuilt from the log, and its frames wait for them.
    package func known(_ session: SessionID, isRecorded: Bool) -> LiveSession? {
        if let live = sessions[session] { return live }
        // A session loaded now would lack the pending records, and record their frames again.
        guard !log.awaitsRecords else { return nil }
        let summary = log.summary(of: session)
        // The log does not list sessions that are only in memory.
        guard let device = summary?.device ?? begun[session] else { return nil }
        restore(session)
        let live = LiveSession(
            id: session, device: device, isRecorded: isRecorded, computation: nil,
            views: freshViews(of: session, device),
            deviceTime: summary?.deviceTimes?.upperBound ?? now,
            arrival: summary?.arrivalTimes.upperBound ?? now)
        hold(live)
        rebuild(live)
        return live
    }

    /// Removes a session that is to be erased, whether in memory or not: no viewer may bring it
    /// back from the log meanwhile.
    ///
    /// - Returns: The connection that fed it, which must be closed.
    package func forget(_ session: SessionID, of device: DeviceID) -> ConnectionID? {
        if sessions.remove(session)?.rebuilding != nil { callbacks.stopRebuilding(session) }
        begun[session] = nil
        hub.sessionErased(session, of: device)
        return table.erase(session)
    }

    // MARK: Into the log

    private func record(
        _ header: FrameHeader, _ payload: Span<UInt8>, of session: SessionID, late: Bool,
        arrival: Timestamp
    ) {
        guard
            let live = sessions[session]
                ?? known(session, isRecorded: table.recovery(of: session)?.recorded ?? false)
                ?? begin(session, header, arrival: arrival)
        else { return lose(session) }
        let hadEnded = live.hasEnded
        let bytesBefore = log.appendedBytes
        guard
            let offset = recorder.record(
                frame: header, payload: payload, of: live, arrival: arrival)
        else { return lose(session) }
        table.recorded(session, sequence: header.sequence, late: late, at: offset)
        use(log.appendedBytes - bytesBefore, of: live, at: arrival)
        if live.hasEnded {
            hub.sessionEnded(
                session, of: live.device, at: arrival, through: cursor.offset,
                isInView: live.views.hasEndedInView)
            if !hadEnded { callbacks.memory(.ended(session, live.device)) }
        } else if hadEnded {
            makeRoom(besides: live)
        }
        noteEndInView(of: live)
        if live.hasEnded != hadEnded {
            counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
        }
        watch(live)
        boundMemory(besides: live)
        callbacks.ingestLag(now.seconds(since: arrival))
    }

    /// Closes a session after the log rejected a frame whose number was accepted, so that no later
    /// ack covers it. The device sends the frame again, and the session continues from the log.
    private func lose(_ session: SessionID) {
        callbacks.complain("the log took no frame though it had room: its device sends it again")
        if let live = sessions[session] { evict(live) }
        leaving.remove(session)
        if let connection = table.erase(session) { callbacks.disconnect(connection) }
    }

    func recordReleased() {
        while let released = table.popReleased() {
            switch released {
            case .frame(let frame):
                record(
                    frame.header, frame.payload.span, of: frame.session, late: false,
                    arrival: frame.arrivalTime)
            case .gap(let session, let from, let to):
                counters.gaps.add(1, ordering: .relaxed)
                guard let live = sessions[session] else { continue }
                recorder.record(
                    .gap(from: from, to: to), deviceTime: live.lastDeviceTime, of: live,
                    arrival: now)
            case .wake(let session): noteTime(of: session)
            }
        }
    }

    /// Begins a new session with its first frame: the session's head is written before it.
    private func begin(
        _ session: SessionID, _ header: FrameHeader, arrival: Timestamp
    ) -> LiveSession? {
        // The connection is not used here: it may have closed while a hole held the frame back.
        guard let origin = table.recovery(of: session) else {
            assertionFailure("a frame of a session that nobody opened")
            return nil
        }
        // A recording uses its own day; otherwise today, since a device's clock may not have been
        // set yet.
        let day = origin.recorded ? header.deviceTime : arrival
        let profile = callbacks.profile(origin.device, day)
        let head = SessionHead(
            session: session, device: origin.device, arrivalTime: arrival,
            recorded: origin.recorded, profile: profile,
            algorithmVersion: SessionPipeline.algorithmVersion)
        guard
            let first = recorder.record(
                head: head, deviceTime: header.deviceTime, isBeginning: true)
        else { return nil }
        callbacks.memory(.began(session, origin.device, at: first))
        sessionPace.take(1, by: origin.device, at: arrival)
        dailyPace.take(1, by: origin.device, at: arrival)
        let live = LiveSession(
            id: session, device: origin.device, isRecorded: origin.recorded,
            computation: LiveComputation(SessionComputation(profile: profile)),
            views: freshViews(of: session, origin.device), deviceTime: header.deviceTime,
            arrival: arrival)
        live.views.note(.beginning)
        live.views.note(.profile(isOnTreadmill: profile.treadmill))
        begun[session] = live.device
        if let route = callbacks.course(live.device) {
            recorder.record(course: route, of: live, arrival: arrival)
        }
        add(live)
        callbacks.began(session, live.device, header.deviceTime)
        return live
    }

    /// Adds a session to memory and evicts ended ones of its device.
    private func hold(_ live: LiveSession) {
        callbacks.memory(.held(live.id))
        for old in sessions.add(live, keeping: hub.sessionsDelayed(of: live.device, at: now)) {
            callbacks.memory(.released(old, before: log.nextOffset))
            hub.sessionEndedInView(old, of: live.device, at: now)
            if !isForgotten(old) { leaving.insert(old) }
        }
        makeRoom(besides: live)
    }

    /// - Returns: `false` if an ack of the session, or its entry in the log's list, is pending.
    func isForgotten(_ session: SessionID) -> Bool {
        _ = table.forget(session)
        if begun[session] != nil, log.summary(of: session) != nil { begun[session] = nil }
        return table.recovery(of: session) == nil && begun[session] == nil
    }

    /// Limits a device's live sessions: the one that was silent for longest is evicted. Sessions
    /// with a connection are evicted last. An evicted session can resume as after a restart.
    private func makeRoom(besides newest: LiveSession) {
        let most = max(1, min(sessionsPerDeviceMax, sessionsMax / max(1, sessions.deviceCount)))
        while true {
            let live = sessions.of(newest.device).filter { !$0.hasEnded }
            guard live.count > most else { return }
            let oldest = live.filter { $0 !== newest }.min {
                let (one, other) = (table.connection(of: $0.id), table.connection(of: $1.id))
                guard (one == nil) == (other == nil) else { return one == nil }
                return $0.lastArrival < $1.lastArrival
            }
            guard let oldest else { return }
            evict(oldest)
        }
    }

    private func add(_ live: LiveSession) {
        hold(live)
        hub.sessionBegan(
            live.id, of: live.device, at: live.lastArrival, isInView: live.views.isInView)
        counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
    }

    private func freshViews(of session: SessionID, _ device: DeviceID) -> SessionViews {
        SessionViews(session: session, epoch: log.epoch, privacy: callbacks.privacy(device))
    }

    // MARK: To devices

    /// Whether ``acknowledge(_:)`` may have acks. A refused frame's number can cause an ack without
    /// a new offset.
    package var hasAcks: Bool { log.durableEnd > acknowledgedEnd || table.hasAckNews }

    /// Acknowledges the records that became durable since the last call.
    ///
    /// - Parameter body: Receives one ack for each connection with news.
    package func acknowledge(_ body: (SessionAck) -> Void) {
        guard hasAcks else { return }
        let end = log.durableEnd
        acknowledgedEnd = max(acknowledgedEnd, end)
        table.durable(upTo: end, body)
        guard !leaving.isEmpty else { return }
        leaving = leaving.filter { sessions[$0] == nil && !isForgotten($0) }
    }

    /// The log's newest record that viewers may have seen.
    package var cursor: LogCursor {
        let next = log.nextOffset.rawValue
        return LogCursor(
            epoch: log.epoch, offset: RecordOffset(rawValue: next > 0 ? next - 1 : 0))
    }
}
