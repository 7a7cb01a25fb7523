package import Ingest
import Logging
import Registry
package import Replay
import Ring
package import SegmentLog
package import SensorModel
package import Sessions
import Sharing
import Synchronization
package import Transport

/// The state of the pipeline: the flow of frames, and the delivery of results. A turn
/// (``PipelineTurns``) has exclusive access.
package final class PipelineCore {
    package let flow: SessionFlow
    package let accounts: Accounts
    package let counters: PipelineCounters
    package let subscribers = SubscriberTable()
    package let playbacks: PlaybackHub
    /// Playbacks of owners to all viewers of a share.
    var sharePlaybacks: [ShareKey: PlaybackRun.Plan] = [:]
    package let parts: PipelineParts

    private let links: [LoopLink]
    /// The last opening message of each connection.
    private var openings: [ConnectionID: DeviceOpening] = [:]
    /// Number of running erasures per session.
    var erasures: [SessionID: Int] = [:]
    /// Devices that have finished sending and wait for their last acks.
    private var finishing: Set<ConnectionID> = []
    var expiries: ShareExpiries
    private var acks = AckPace()
    var loadWaits = LoadWaiters()

    package init(_ parts: PipelineParts, now: Timestamp) {
        self.parts = parts
        links = parts.links
        counters = parts.counters
        accounts = parts.accounts
        expiries = ShareExpiries(done: now)
        let links = parts.links
        playbacks = PlaybackHub(send: { links[$0].push(.feed($1, $2)) })
        flow = SessionFlow(
            log: parts.log, ingest: parts.ingest, silenceSeconds: parts.silenceSeconds,
            callbacks: FlowCallbacks(parts), counters: parts.counters.flow, now: now)
    }

    package var log: SegmentLog { flow.log }
    package var hub: ShareHub { flow.hub }
    package var sessions: LiveSessions { flow.sessions }
    package var table: SessionTable { flow.table }
    package var now: Timestamp { flow.now }
    package var cursor: LogCursor { flow.cursor }
    /// The log's durable end if everything before it is acknowledged; `nil`: some acks are pending.
    var acknowledgedEnd: RecordOffset? {
        let end = flow.acknowledgedEnd
        return log.durableEnd > end ? nil : end
    }
    /// Whether the loops' rings have room for the results of a few frames.
    var hasRoomForLoops: Bool { links.allSatisfy { $0.outboundFillRatio < 0.5 } }
    var nextDeadline: Timestamp? {
        let acks = flow.hasAcks ? acks.nextRound(after: now) : nil
        return [flow.nextDeadline, expiries.next, acks].compactMap { $0 }.min()
    }

    // MARK: From the loops

    /// Processes one record of a loop's ring.
    func receive(_ record: Span<UInt8>) {
        guard let message = InboundMessage(record: record) else {
            return assertionFailure("a ring record that no loop wrote")
        }
        switch message {
        case .frame(let frame):
            flow.receive(
                frame.header, payload: record.extracting(InboundMessage.frameHeadBytes...),
                from: frame.connection, arrival: frame.arrival)
        case .opened(let opening): open(opening)
        case .refused(let connection, let sequence, let arrival):
            flow.refuse(sequence, from: connection, arrival: arrival)
        case .closed(let connection, _):
            openings[connection] = nil
            flow.table.close(connection)
            finishing.remove(connection)
        case .finished(let connection, _): finishing.insert(connection)
        }
    }

    private func open(_ opening: DeviceOpening) {
        guard !isErasing(opening.session) else {
            return send(.close(opening.connection, .goingAway), to: opening.connection)
        }
        // The listener accepted the token; the device may have been revoked, deleted or given a new
        // one since.
        guard let device = accounts.device(opening.device), !device.isRevoked,
            opening.tokenHash == .zero || opening.tokenHash == device.tokenHash
        else {
            return send(.close(opening.connection, .tokenRefused), to: opening.connection)
        }
        let decision = flow.open(
            opening.connection, device: opening.device, session: opening.session,
            recorded: opening.recorded, arrival: opening.arrival)
        switch decision {
        case .foreign: send(.close(opening.connection, .tokenRefused), to: opening.connection)
        case .crowded: send(.close(opening.connection, .tooManyRequests), to: opening.connection)
        case .opened(let acknowledged, _, let replaced):
            openings[opening.connection] = opening
            if let replaced {
                openings[replaced] = nil
                send(.close(replaced, .replaced), to: replaced)
            }
            let welcome = DeviceWelcome(
                session: opening.session, acked: acknowledged,
                share: accounts.shareText(of: opening.device, at: now), serverTime: now)
            send(.welcome(opening.connection, welcome), to: opening.connection)
        }
    }

    /// Performs all work that is due by `now`.
    func advance(to now: Timestamp) {
        // Input that arrives during this turn stays unread until the turn ends.
        flow.noteUnread(since: unreadSince.map { min($0, now) } ?? now)
        // Expiry comes first: an ended share must not show data that its delay held back.
        flow.now = now
        expireShares()
        flow.advance(to: now)
        tellLoaded()
    }

    /// Notes, at the end of a turn, which input it left in the rings.
    func noteUnread() { flow.noteUnread(since: unreadSince) }

    /// Arrival of the oldest input in the rings.
    private var unreadSince: Timestamp? {
        links.lazy.compactMap { $0.inbound.peek(InboundMessage.arrival) }.min()
    }

    // MARK: To the loops

    /// Acknowledges records that became durable since the last round of acks, if a round is due.
    func acknowledge() {
        if flow.hasAcks, acks.nextRound(after: now) <= now {
            var sent = 0
            flow.acknowledge { ack in
                sent += 1
                send(
                    .ack(ack.connection, ack.sequence, durable: parts.isDurable),
                    to: ack.connection)
            }
            acks.sent(sent, at: now)
        }
        for connection in finishing where flow.table.owesNothing(to: connection) {
            finishing.remove(connection)
            send(.finished(connection), to: connection)
        }
    }

    package func send(_ message: OutboundMessage, to connection: ConnectionID) {
        links[connection.loop].push(message)
    }

    package func send(_ message: OutboundMessage, to subscriber: SubscriberID) {
        links[subscriber.loop].push(message)
    }

    package func flush() {
        log.flush()
        for link in links { link.flush() }
    }

    /// Connections of the device that can receive messages: those of push requests cannot.
    package func connections(of device: DeviceID) -> [ConnectionID] {
        openings.values.filter { $0.device == device && $0.transport != .push }
            .map(\.connection)
    }

    /// Closes all connections of a device that is being deleted, including push requests, and
    /// rejects its further frames. A frame in flight would begin a session without a device.
    func expel(_ device: DeviceID) {
        for (connection, opening) in openings where opening.device == device {
            flow.table.close(connection)
            openings[connection] = nil
            send(.close(connection, .tokenRefused), to: connection)
        }
    }

    /// Closes all connections of a device.
    func disconnect(_ device: DeviceID, code: CloseCode) {
        for connection in connections(of: device) {
            send(.close(connection, code), to: connection)
        }
    }
}

extension FlowCallbacks {
    init(_ parts: PipelineParts) {
        let links = parts.links
        let logger = parts.logger
        self.init(
            profile: { parts.accounts.profile(of: $0, at: $1) },
            course: { parts.accounts.course(of: $0) },
            privacy: { parts.accounts.privacy(of: $0) },
            recorded: parts.recorded,
            show: { loop, share, message in
                guard loop != HeartRateHub.loop else {
                    return parts.heartRates.show(message, of: share)
                }
                switch message {
                case .update(let update): links[loop].push(.feed(FeedKey(share), update))
                case .ended(let code): links[loop].push(.feedEnded(FeedKey(share), code))
                }
            },
            rebuild: parts.rebuild, stopRebuilding: parts.stopRebuilding,
            began: parts.began, memory: parts.memory,
            disconnect: { links[$0.loop].push(.close($0, .tooManyRequests)) },
            notice: parts.notice,
            ingestLag: { parts.counters.ingestLag.record(seconds: $0) },
            complain: { logger.error("\($0)") })
    }
}
