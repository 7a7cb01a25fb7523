import SegmentLog
import SensorModel
import Sessions
import Sharing
import WireFormat

/// What was recorded, in the plainest form, and what the owner's settings hide of it: worked out from
/// a session's first record on each time, without the projections that it judges.
struct Reference {
    struct Record {
        let offset: RecordOffset
        let arrival: Timestamp
        let deviceTime: Timestamp
        /// `nil`: a discrete event.
        let metrics: Metrics?
        let isCallForHelp: Bool
        let isEnd: Bool
    }

    /// What viewers may see of a record.
    struct Sight {
        /// An event happens where the last metrics were.
        var isVisible: Bool
        var elapsedSeconds: Double
        var distanceMeters: Double
        /// Where the runner was; `nil`: no position had come.
        var place: (latitude: Double, longitude: Double)?
        /// When it may be shown; `nil` before the first record.
        var release: FinishReference.Release?
    }

    private(set) var sessions: [SessionID: [Record]] = [:]
    /// The metrics in snapshots, which outlive the records before them.
    private(set) var latched: [SessionID: [Record]] = [:]
    private var places: [RecordOffset: (session: SessionID, index: Int)] = [:]
    private(set) var devices: [SessionID: DeviceID] = [:]
    /// Everything before it was read.
    private(set) var end = RecordOffset(rawValue: 0)
    /// Sessions of which any record was read, and whether the first was their beginning.
    private(set) var hasBeginning: [SessionID: Bool] = [:]

    /// Takes what was written since the last call.
    mutating func read(_ reader: LogReader) throws(SegmentLogError) {
        var read = self
        read.end = try reader.read(from: end) { header, payload in
            if read.hasBeginning[header.session] == nil {
                read.hasBeginning[header.session] =
                    header.type == .session && header.sequence == .none
            }
            if header.type == .snapshot { read.take(snapshot: payload, header) }
            guard header.type == .metric || header.type == .event,
                let event = try? StreamEventCodec.decode(payload)
            else { return true }
            read.take(event, header)
            return true
        }
        self = read
    }

    private mutating func take(_ event: StreamEvent, _ header: RecordHeader) {
        var metrics: Metrics?
        var isCallForHelp = false
        switch event.kind {
        case .metrics(let recorded): metrics = recorded
        case .alert(let alert):
            isCallForHelp = [.fall, .sos].contains(alert.kind)
        default: break
        }
        devices[header.session] = header.device
        places[header.offset] = (header.session, sessions[header.session]?.count ?? 0)
        sessions[header.session, default: []].append(
            Record(
                offset: header.offset, arrival: header.arrivalTime,
                deviceTime: event.deviceTime, metrics: metrics, isCallForHelp: isCallForHelp,
                isEnd: event.kind == .ended))
    }

    private mutating func take(snapshot payload: Span<UInt8>, _ header: RecordHeader) {
        devices[header.session] = header.device
        for event in (try? SnapshotCodec.decode(payload)) ?? [] {
            guard case .metrics(let metrics) = event.kind else { continue }
            latched[header.session, default: []].append(
                Record(
                    offset: header.offset, arrival: header.arrivalTime,
                    deviceTime: event.deviceTime, metrics: metrics, isCallForHelp: false,
                    isEnd: false))
        }
    }

    /// The session was erased, and may begin again under its ID: what was read of it goes on under
    /// another.
    mutating func retire(_ session: SessionID, as other: SessionID) {
        hasBeginning[other] = hasBeginning.removeValue(forKey: session)
        devices[other] = devices.removeValue(forKey: session)
        sessions[other] = sessions.removeValue(forKey: session)
        latched[other] = latched.removeValue(forKey: session)
        for (index, record) in (sessions[other] ?? []).enumerated() {
            places[record.offset] = (other, index)
        }
    }

    func place(of offset: RecordOffset) -> (session: SessionID, index: Int)? { places[offset] }
}
