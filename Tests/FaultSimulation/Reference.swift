import SegmentLog
import SensorModel
import Sessions
import Sharing
import WireFormat

/// A plain model of the records and of what the owner's settings hide of them. Computed from a
/// session's first record each time, without the projections that it judges.
struct Reference {
    struct Record {
        let offset: RecordOffset
        let arrival: Timestamp
        let deviceTime: Timestamp
        /// The metrics; `nil`: a discrete event.
        let metrics: Metrics?
        let isCallForHelp: Bool
        /// Whether it is an alert that comes at a time which was set before.
        let isTimed: Bool
        let isEnd: Bool

        /// Whether the device need not have sent for it.
        var isOfSilence: Bool {
            isTimed || isEnd || metrics.map { [.stale, .ended].contains($0.state) } ?? false
        }
    }

    /// Tells for each record whether another run begins with it: the session continues after an end;
    /// or nothing came for ten minutes of either clock; or half an hour, or a day of the watch's
    /// clock, had no live position.
    static func continuations(of records: [Record]) -> [Bool] {
        var isOver = false
        var last: (deviceTime: Timestamp, arrival: Timestamp)?
        var lastLive: (metrics: Metrics, at: Timestamp)?
        return records.map { record in
            defer {
                if !record.isOfSilence {
                    let newest = max(record.deviceTime, last?.deviceTime ?? record.deviceTime)
                    last = (newest, record.arrival)
                }
            }
            var begins = isOver
            if let last, !record.isOfSilence {
                begins = begins || record.arrival.seconds(since: last.arrival) >= 600
                begins = begins || record.deviceTime.seconds(since: last.deviceTime) >= 600
            }
            if let metrics = record.metrics, metrics.position?.state == .live {
                if let lastLive {
                    let seconds = metrics.elapsedSeconds - lastLive.metrics.elapsedSeconds
                    let days = record.deviceTime.seconds(since: lastLive.at) / 86_400
                    begins = begins || seconds >= 1800 || days >= 1
                }
                lastLive = (metrics, record.deviceTime)
            }
            if record.isEnd { isOver = true }
            guard begins, !record.isEnd, record.metrics?.state != .ended else { return false }
            isOver = false
            return true
        }
    }

    /// Tells for each record whether the device sends again with it after a minute without anything.
    static func resumptions(of records: [Record]) -> [Bool] {
        var last: (deviceTime: Timestamp, arrival: Timestamp)?
        return records.map { record in
            guard !record.isOfSilence else { return false }
            let resumes =
                last.map {
                    record.arrival.seconds(since: $0.arrival) >= 60
                        || record.deviceTime.seconds(since: $0.deviceTime) >= 60
                } ?? false
            last = (max(record.deviceTime, last?.deviceTime ?? record.deviceTime), record.arrival)
            return resumes
        }
    }

    /// The visible part of a record.
    struct Sight {
        /// Whether viewers may see the record; an event is at the place of the last metrics.
        var isVisible: Bool
        var elapsedSeconds: Double
        var distanceMeters: Double
        /// The runner's place; `nil`: no position had come.
        var place: (latitude: Double, longitude: Double)?
        /// The time at which the record may be shown; `nil` before the first record.
        var release: FinishReference.Release?
    }

    private(set) var sessions: [SessionID: [Record]] = [:]
    /// The metrics in snapshots, which remain after the records before them are gone.
    private(set) var latched: [SessionID: [Record]] = [:]
    private var places: [RecordOffset: (session: SessionID, index: Int)] = [:]
    private(set) var devices: [SessionID: DeviceID] = [:]
    /// Everything before it was read.
    private(set) var end = RecordOffset(rawValue: 0)
    /// Sessions with a record read, and whether that record was the session's first.
    private(set) var hasBeginning: [SessionID: Bool] = [:]

    /// Reads the records written since the last call.
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
        var (isCallForHelp, isTimed) = (false, false)
        switch event.kind {
        case .metrics(let recorded): metrics = recorded
        case .alert(let alert):
            isCallForHelp = [.fall, .sos].contains(alert.kind)
            isTimed =
                [.noMovement, .safetyTimer].contains(alert.kind)
                && [.triggered, .confirmed].contains(alert.phase)
        default: break
        }
        devices[header.session] = header.device
        places[header.offset] = (header.session, sessions[header.session]?.count ?? 0)
        sessions[header.session, default: []].append(
            Record(
                offset: header.offset, arrival: header.arrivalTime,
                deviceTime: event.deviceTime, metrics: metrics, isCallForHelp: isCallForHelp,
                isTimed: isTimed, isEnd: event.kind == .ended))
    }

    private mutating func take(snapshot payload: Span<UInt8>, _ header: RecordHeader) {
        devices[header.session] = header.device
        for event in (try? SnapshotCodec.decode(payload)) ?? [] {
            guard case .metrics(let metrics) = event.kind else { continue }
            latched[header.session, default: []].append(
                Record(
                    offset: header.offset, arrival: header.arrivalTime,
                    deviceTime: event.deviceTime, metrics: metrics, isCallForHelp: false,
                    isTimed: false, isEnd: false))
        }
    }

    /// Moves the records of an erased session to another ID, because the session's ID may be
    /// reused.
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
