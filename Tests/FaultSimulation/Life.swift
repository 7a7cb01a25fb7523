import FaultyDisk
import Ingest
import Replay
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// One run of the daemon on one thread, with production types for rings, session table, processors,
/// hub, log and feeds.
final class Life {
    /// A message from the pipeline to its loop.
    enum Message: Sendable {
        case hub(ShareKey, ShareHub.Message)
        case playback(FeedKey, FeedUpdate)
        case begin(Viewer, FeedKey, FeedSnapshot, Start)
        case part(Viewer, [(cursor: LogCursor, json: [UInt8])])
        case caughtUp(Viewer, CatchUp, after: RecordOffset, began: Timestamp)
        case settings(DeviceID, Privacy)
    }

    /// The start or restart of a viewer's stream.
    struct Start: Sendable {
        var resumedAt: LogCursor?
        var catchingUp = false
        /// Whether the viewer is told of a gap.
        var hasGap = false
    }

    /// One connection of a viewer.
    struct Viewer: Hashable, Sendable {
        let index: Int
        let connection: Int
    }

    /// The pipeline's record of one viewer.
    struct Watcher {
        var subscription: ShareHub.Subscription?
        var playbackSubscription: PlaybackHub.Subscription?
        /// Number of the playback that it watches.
        var playback: UInt64?
        /// Distinguishes the current catch-up from abandoned ones.
        var number = 0
        var catchUp: CatchUp?
        var catchUpAfter = RecordOffset(rawValue: 0)
        var catchUpBegan = Timestamp(microseconds: 0)
    }

    /// An owner's privacy settings with a change counter.
    struct Privacy: Hashable, Sendable {
        var settings = PrivacySettings.none
        var generation = 0
    }

    /// The session that a share shows, and the first record of which this is true.
    struct Shown {
        let session: SessionID?
        let since: RecordOffset
    }

    /// A read that runs beside the pipeline.
    enum Reading {
        case session(RebuildTicket)
        case place(Viewer, number: Int, LogCursor, CatchUp.Source)
        case part(Viewer, number: Int, CatchUp)
        case erasure(SessionID)
    }

    /// Key of a projection index.
    struct IndexReading: Hashable {
        let session: SessionID
        let rule: ProjectionRule
    }

    struct Task {
        let reading: Reading
        /// Steady time, µs: the wait begins to be checked at `due` and fails at `deadline`.
        var due: Int64
        var deadline: Int64
    }

    let log: SegmentLog
    let flow: SessionFlow
    static let ringBytes = 8192
    let loops: [Loop]
    var watchers: [Viewer: Watcher] = [:]
    /// Viewers whose connections the loop has closed but whose end the pipeline does not know yet.
    var leaving: [Viewer] = []
    /// Viewers whose sockets have accepted all pending bytes.
    var asking: [Viewer] = []
    var tasks: [Task] = []
    /// Sessions under erasure, whose watches are turned away.
    var erasing: Set<SessionID> = []
    /// Open lines of pushers.
    var lines: [Int: PushedLine] = [:]
    var requests: [PushedRequest] = []
    /// Results of reads for the pipeline's next turn.
    var posts: [(World) throws -> Void] = []
    let playbacks: PlaybackHub
    var players: [UInt64: Player] = [:]
    var shown: [ShareKey: Shown] = [:]
    var indexes: [IndexReading: ProjectionIndex] = [:]
    /// Faults of the simulation itself, such as a full ring, and other reports of the callbacks.
    let complaints: Complaints

    /// Inputs and reports of the flow's callbacks.
    final class Complaints {
        var sentences: [String] = []
        var rebuildings: [RebuildTicket] = []
        /// Description of a message for a share that is no longer active.
        var stray: String?
        var now = Timestamp(microseconds: 0)
        var shares: [ShareKey: Share] = [:]
        var profile = RunnerProfile()
        var privacy: [DeviceID: Privacy] = [:]
    }

    init(
        disk: SimulatedDisk, configuration: LogConfiguration, shares: [Share],
        settings: (RunnerProfile, [DeviceID: Privacy]), loops count: Int, now: Timestamp
    ) throws(SegmentLogError) {
        let log = try SegmentLog.open(disk: disk, configuration: configuration, now: now)
        let complaints = Complaints()
        complaints.now = now
        (complaints.profile, complaints.privacy) = settings
        for share in shares { complaints.shares[share.key] = share }
        let loops = (0..<count).map { _ in Loop(inForce: settings.1) }
        self.loops = loops
        playbacks = PlaybackHub { loop, key, update in
            if !loops[loop].outbound.push(.playback(key, update)) {
                complaints.sentences.append("the loop's ring is full")
            }
        }
        flow = SessionFlow(
            log: log, ingest: IngestSettings(), silenceSeconds: 20,
            callbacks: FlowCallbacks(
                profile: { _, _ in complaints.profile },
                privacy: { complaints.privacy[$0]?.settings ?? .none },
                show: { loop, key, message in
                    if case .update = message,
                        complaints.shares[key]?.isActive(at: complaints.now) != true
                    {
                        complaints.stray = "share \(key.rawValue) is over and was shown something"
                    }
                    if !loops[loop].outbound.push(.hub(key, message)) {
                        complaints.sentences.append("the loop's ring is full")
                    }
                },
                rebuild: { complaints.rebuildings.append($0) },
                complain: { complaints.sentences.append($0) }),
            counters: FlowCounters(), now: now)
        self.log = log
        self.complaints = complaints
        for share in shares { flow.hub.put(share) }
        flow.hub.restore(log.sessions(), lost: log.lostEnd, at: now)
    }

    func takePosts() -> [(World) throws -> Void] {
        defer { posts = [] }
        return posts
    }

    // MARK: Rings

    private static let headBytes = 40

    private enum Tag: UInt8 { case opened, frame, refused, closed }

    private func push(
        _ tag: Tag, _ connection: ConnectionID, _ arrival: Timestamp, kind: UInt8 = 0,
        sequence: UInt32 = 0, deviceTime: Int64 = 0, payload: Span<UInt8> = Span()
    ) -> Bool {
        var head: [UInt8] = [tag.rawValue, kind, 0, 0]
        append(UInt64(sequence), to: &head, bytes: 4)
        append(connection.rawValue, to: &head)
        append(UInt64(bitPattern: arrival.microseconds), to: &head)
        append(UInt64(bitPattern: deviceTime), to: &head)
        append(0, to: &head)
        return loop(of: connection).ring.push(header: head.span, payload: payload)
    }

    private func append(_ value: UInt64, to bytes: inout [UInt8], bytes count: Int = 8) {
        for shift in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift)))
        }
    }

    func pushOpened(_ connection: ConnectionID, at arrival: Timestamp) -> Bool {
        push(.opened, connection, arrival)
    }

    func pushClosed(_ connection: ConnectionID, at arrival: Timestamp) -> Bool {
        push(.closed, connection, arrival)
    }

    func pushRefused(_ number: UInt32, _ connection: ConnectionID, at arrival: Timestamp) -> Bool {
        push(.refused, connection, arrival, sequence: number)
    }

    func pushFrame(
        _ header: FrameHeader, _ payload: Span<UInt8>, _ connection: ConnectionID,
        at arrival: Timestamp
    ) -> Bool {
        push(
            .frame, connection, arrival, kind: header.kind.rawValue,
            sequence: header.sequence.rawValue, deviceTime: header.deviceTime.microseconds,
            payload: payload)
    }

    static func arrival(of record: Span<UInt8>) -> Timestamp {
        Timestamp(microseconds: Int64(bitPattern: number(in: record, at: 16)))
    }

    /// - Returns: The number of records read.
    func drain(
        _ loop: Loop, limit: Int, opened: (ConnectionID, Timestamp) -> Void,
        taken: (ConnectionID, UInt32) -> Void
    ) -> Int {
        loop.ring.drain(limit: limit) { record in
            let connection = ConnectionID(rawValue: Self.number(in: record, at: 8))
            let arrival = Self.arrival(of: record)
            let sequence = UInt32(truncatingIfNeeded: Self.number(in: record, at: 4, bytes: 4))
            switch Tag(rawValue: record[0]) {
            case .opened: opened(connection, arrival)
            case .closed: flow.table.close(connection)
            case .refused:
                flow.refuse(FrameSequence(rawValue: sequence), from: connection, arrival: arrival)
            case .frame:
                guard let kind = FrameKind(rawValue: record[1]) else { return }
                taken(connection, sequence)
                let header = FrameHeader(
                    kind: kind, sequence: FrameSequence(rawValue: sequence),
                    deviceTime: Timestamp(
                        microseconds: Int64(bitPattern: Self.number(in: record, at: 24))))
                flow.receive(
                    header, payload: record.extracting(Self.headBytes...), from: connection,
                    arrival: arrival)
            case nil: break
            }
        }
    }

    private static func number(
        in record: Span<UInt8>, at start: Int, bytes: Int = 8
    ) -> UInt64 {
        (0..<bytes).reduce(0) { $0 | UInt64(record[start + $1]) << UInt64(8 * $1) }
    }
}
