import Ingest
import Logging
import Processing
import Replay
import SegmentLog
import SensorModel
import Sharing
import Synchronization
import Transport

/// What the pipeline thread owns: the table of sessions, their processors, the board of shares, and
/// the right to append to the log. No other thread ever sees inside.
final class PipelineCore {
    let log: SegmentLog
    let board: ShareBoard
    let recorder: SessionRecorder
    let accounts: Accounts
    let counters: PipelineCounters
    let logger: Logger
    let sessions: LiveSessions
    let watchers = Watchers()
    var table: SessionTable
    private(set) var now: Timestamp
    let parts: PipelineParts

    private let links: [LoopLink]
    private let silenceMicroseconds: Int64
    private let rebuild: (SessionID, RecordOffset) -> Void
    /// How each open session began, until its first frame.
    private var openings: [SessionID: DeviceOpening] = [:]
    private var lastDurable = RecordOffset(rawValue: 0)
    var expiries: ShareExpiries

    init(_ parts: PipelineParts, now: Timestamp) {
        self.parts = parts
        log = parts.log
        links = parts.links
        counters = parts.counters
        logger = parts.logger
        accounts = parts.accounts
        rebuild = parts.rebuild
        table = SessionTable(settings: parts.ingest)
        silenceMicroseconds = Int64(parts.silenceSeconds * 1_000_000)
        self.now = now
        expiries = ShareExpiries(done: now)
        let links = parts.links
        let live = LiveSessions()
        sessions = live
        board = ShareBoard(
            send: { loop, message in links[loop].push(message) },
            fields: { live[$0]?.fields })
        recorder = SessionRecorder(
            log: parts.log, board: board, counters: parts.counters, logger: parts.logger,
            notice: parts.notice)
    }

    // MARK: From the loops

    /// One record of a loop's ring.
    func receive(_ record: Span<UInt8>) {
        guard let message = InboundMessage(record: record) else {
            return assertionFailure("a ring record that no loop wrote")
        }
        switch message {
        case .frame(let frame):
            receive(frame, payload: record.extracting(InboundMessage.frameHeadBytes...))
        case .opened(let opening): open(opening)
        case .refused(let connection, let sequence, let arrival):
            table.refuse(sequence, from: connection, at: arrival)
            recordReleased()
        case .closed(let connection, _):
            if let session = table.session(of: connection) { openings[session] = nil }
            table.close(connection)
        }
    }

    private func receive(_ frame: FrameArrival, payload: Span<UInt8>) {
        let decision = table.accept(
            frame.header, payload: payload, from: frame.connection, at: frame.arrival)
        switch decision {
        case .record(let session, let sequence, let late):
            if late { counters.framesLate.add(1, ordering: .relaxed) }
            var header = frame.header
            header.sequence = sequence
            record(header, payload, of: session, late: late, arrival: frame.arrival)
            recordReleased()
        case .duplicate: counters.framesDuplicate.add(1, ordering: .relaxed)
        case .held, .notOpen: break
        }
    }

    private func open(_ opening: DeviceOpening) {
        restore(opening.session)
        let outcome = table.open(
            opening.connection, device: opening.device, session: opening.session,
            recorded: opening.recorded)
        switch outcome {
        case .foreign: send(.close(opening.connection, .tokenRefused), to: opening.connection)
        case .opened(let acknowledged, _, let replaced):
            openings[opening.session] = opening
            if let replaced { send(.close(replaced, .replaced), to: replaced) }
            let welcome = DeviceWelcome(
                session: opening.session, acked: acknowledged,
                share: accounts.shareText(of: opening.device, at: now), serverTime: now)
            send(.welcome(opening.connection, welcome), to: opening.connection)
            if let live = known(opening.session, isRecorded: opening.recorded) {
                live.lastArrival = opening.arrival
                board.sessionBegan(live.id, of: live.device, at: opening.arrival)
            }
        }
    }

    /// A session of before a restart goes on where the log ends.
    private func restore(_ session: SessionID) {
        guard table.clock(of: session) == nil, let summary = log.summary(of: session) else {
            return
        }
        table.restore(
            SessionRecovery(
                session: session, device: summary.device, highest: summary.highestSequence))
    }

    /// The session if it has records. One that is not in memory, as after a restart, has its
    /// processors rebuilt from the log; its frames wait for them.
    func known(_ session: SessionID, isRecorded: Bool) -> LiveSession? {
        if let live = sessions[session] { return live }
        guard let summary = log.summary(of: session) else { return nil }
        restore(session)
        let live = LiveSession(
            id: session, device: summary.device, isRecorded: isRecorded, computation: nil,
            fields: freshFields(of: session, summary.device),
            deviceTime: summary.deviceTimes?.upperBound ?? now,
            arrival: summary.arrivalTimes.upperBound)
        for old in sessions.add(live) { _ = table.forget(old) }
        rebuild(session, log.nextOffset)
        return live
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
        else { return }
        let hadEnded = live.hasEnded
        if hadEnded { board.sessionBegan(session, of: live.device, at: arrival) }
        guard
            let offset = recorder.record(
                frame: header, payload: payload, of: live, arrival: arrival)
        else { return logger.error("the log took no frame though it had room") }
        table.recorded(session, sequence: header.sequence, late: late, at: offset)
        if live.hasEnded { board.sessionEnded(session, of: live.device, at: arrival) }
        watch(live)
        counters.ingestLag.record(seconds: now.seconds(since: arrival))
    }

    private func recordReleased() {
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
            case .wake(let session): noteSilence(of: session)
            }
        }
    }

    /// The first frame of a new session: its head goes before it.
    private func begin(
        _ session: SessionID, _ header: FrameHeader, arrival: Timestamp
    ) -> LiveSession? {
        // Not of its connection: that may have closed while a hole held the frame back.
        guard let origin = table.recovery(of: session) else {
            assertionFailure("a frame of a session that nobody opened")
            return nil
        }
        let profile = accounts.profile(of: origin.device)
        let head = SessionHead(
            session: session, device: origin.device, arrivalTime: arrival,
            recorded: origin.recorded, profile: profile,
            algorithmVersion: SessionPipeline.algorithmVersion)
        guard recorder.record(head: head, deviceTime: header.deviceTime) else { return nil }
        let live = LiveSession(
            id: session, device: origin.device, isRecorded: origin.recorded,
            computation: SessionComputation(profile: profile),
            fields: freshFields(of: session, origin.device), deviceTime: header.deviceTime,
            arrival: arrival)
        add(live)
        logger.info("session began", metadata: ["session": "\(session)"])
        parts.began(session, live.device, header.deviceTime)
        return live
    }

    private func add(_ live: LiveSession) {
        for old in sessions.add(live) { _ = table.forget(old) }
        board.sessionBegan(live.id, of: live.device, at: live.lastArrival)
        counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
    }

    func freshFields(of session: SessionID, _ device: DeviceID) -> SessionFields {
        SessionFields(
            session: session, epoch: log.epoch, privacy: accounts.privacy(of: device))
    }

    // MARK: Time

    /// Everything that is due by `now`: holes given up, states gone stale, sessions over, delays.
    func advance(to now: Timestamp) {
        self.now = now
        if let deadline = table.nextDeadline, deadline <= now {
            table.advance(to: now)
            recordReleased()
        }
        board.release(at: now)
        expireShares()
    }

    /// When ``advance(to:)`` next has something to do; `nil`: not before something arrives.
    var nextDeadline: Timestamp? {
        [table.nextDeadline, board.nextDeadline, expiries.next].compactMap { $0 }.min()
    }

    /// Asks to be woken when silence changes something of the session.
    func watch(_ live: LiveSession) {
        table.wake(live.id, at: live.nextDeadline(silenceMicroseconds: silenceMicroseconds))
    }

    private func noteSilence(of session: SessionID) {
        guard let live = sessions[session], !live.hasEnded, live.computation != nil else { return }
        let silence = now.microseconds - live.lastArrival.microseconds
        let deviceTime =
            table.clock(of: session)?.deviceTime(at: now)
            ?? live.lastDeviceTime.advanced(byMicroseconds: max(0, silence))
        let isOver = silence >= silenceMicroseconds
        live.notBefore = now.advanced(byMicroseconds: 1_000_000)
        recorder.record(
            isOver ? .ended : .silence, deviceTime: deviceTime, of: live, arrival: now)
        if isOver {
            live.hasEnded = true
            board.sessionEnded(live.id, of: live.device, at: now)
            counters.sessionsLive.store(sessions.liveCount, ordering: .relaxed)
            logger.info("session ended", metadata: ["session": "\(live.id)"])
        }
        watch(live)
    }

    // MARK: To the loops

    var hasNewlyDurable: Bool { log.durableEnd > lastDurable }

    /// Acknowledges what has become durable since the last call.
    func acknowledge() {
        let end = log.durableEnd
        // News without a new offset: a refused frame's number has been passed over.
        guard end > lastDurable || table.hasAckNews else { return }
        lastDurable = max(lastDurable, end)
        table.durable(upTo: end) { ack in
            send(
                .ack(ack.connection, ack.sequence, durable: parts.isDurable), to: ack.connection)
        }
    }

    func send(_ message: OutboundMessage, to connection: ConnectionID) {
        links[connection.loop].push(message)
    }

    func send(_ message: OutboundMessage, to subscriber: SubscriberID) {
        links[subscriber.loop].push(message)
    }

    func flush() {
        log.flush()
        for link in links { link.flush() }
    }

    func forget(_ session: SessionID) {
        if let connection = table.erase(session) {
            send(.close(connection, .goingAway), to: connection)
        }
        if let live = sessions.remove(session) { board.sessionErased(session, of: live.device) }
    }

    /// Connections that speak for the device now, and can be spoken to: not those that stand for
    /// requests of a push format.
    func connections(of device: DeviceID) -> [ConnectionID] {
        openings.values.filter { $0.device == device && $0.transport != .push }
            .map(\.connection)
    }

    /// Closes whatever a device has open.
    func disconnect(_ device: DeviceID, code: CloseCode) {
        for connection in connections(of: device) {
            send(.close(connection, code), to: connection)
        }
    }

    /// The log's newest record that viewers can have seen.
    var cursor: LogCursor {
        let next = log.nextOffset.rawValue
        return LogCursor(
            epoch: log.epoch, offset: RecordOffset(rawValue: next > 0 ? next - 1 : 0))
    }
}
