import Ingest
import SensorModel

/// The daemon's parts around a session table: a log with a controllable durable end, and the sent
/// acks.
struct PipelineModel {
    enum Entry: Hashable {
        case frame(UInt32, late: Bool)
        case gap(UInt32, UInt32)
    }

    static let session = SessionID(high: 1, low: 2)
    static let device = DeviceID(rawValue: 7)
    static let connection = ConnectionID(rawValue: 1)

    var table: SessionTable
    var log: [SessionID: [Entry]] = [:]
    var acks: [SessionID: [UInt32]] = [:]
    var wakes: [SessionID] = []
    var offset: UInt64 = 0
    var seconds = 1000.0

    init(settings: IngestSettings = IngestSettings(), recovered: [SessionRecovery] = []) {
        table = SessionTable(settings: settings, recovered: recovered)
    }

    /// Returns a table with one open session.
    static func opened(settings: IngestSettings = IngestSettings()) -> PipelineModel {
        var model = PipelineModel(settings: settings)
        _ = model.open()
        return model
    }

    var now: Timestamp { Timestamp(microseconds: Int64((seconds * 1e6).rounded())) }
    var entries: [Entry] { log[Self.session] ?? [] }
    var sentAcks: [UInt32] { acks[Self.session] ?? [] }

    mutating func open(
        _ connection: ConnectionID = connection, _ device: DeviceID = device,
        _ session: SessionID = session
    ) -> OpenDecision {
        table.open(connection, device: device, session: session, recorded: false)
    }

    @discardableResult
    mutating func send(
        _ sequence: UInt32, kind: FrameKind = .control, bytes: Int = 1,
        from connection: ConnectionID = connection
    ) -> FrameDecision {
        let header = FrameHeader(
            kind: kind, sequence: FrameSequence(rawValue: sequence), deviceTime: now)
        let payload = [UInt8](repeating: 1, count: bytes)
        let decision = table.accept(header, payload: payload.span, from: connection, at: now)
        if case .record(let session, let sequence, let late) = decision {
            record(session, sequence, late: late)
        }
        drain()
        return decision
    }

    mutating func refuse(_ sequence: UInt32, from connection: ConnectionID = connection) {
        table.refuse(FrameSequence(rawValue: sequence), from: connection, at: now)
        drain()
    }

    mutating func advance(to seconds: Double) {
        self.seconds = seconds
        table.advance(to: now)
        drain()
    }

    /// Makes the log durable as a whole or up to `end`.
    mutating func sync(upTo end: UInt64? = nil) {
        var news: [SessionAck] = []
        table.durable(upTo: RecordOffset(rawValue: end ?? offset)) { news.append($0) }
        for ack in news { acks[ack.session, default: []].append(ack.sequence.rawValue) }
    }

    private mutating func record(_ session: SessionID, _ sequence: FrameSequence, late: Bool) {
        log[session, default: []].append(.frame(sequence.rawValue, late: late))
        table.recorded(
            session, sequence: sequence, late: late, at: RecordOffset(rawValue: offset))
        offset += 1
    }

    private mutating func drain() {
        while let release = table.popReleased() {
            switch release {
            case .frame(let frame): record(frame.session, frame.header.sequence, late: false)
            case .gap(let session, let from, let to):
                log[session, default: []].append(.gap(from.rawValue, to.rawValue))
                offset += 1
            case .wake(let session): wakes.append(session)
            }
        }
    }
}
