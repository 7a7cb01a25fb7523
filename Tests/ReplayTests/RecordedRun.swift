import Processing
import SegmentLog
import SensorModel
import Sessions
import Simulator
import WireFormat

/// A simulated run, recorded as by the daemon: frames, then the events derived from them.
struct RecordedRun {
    static let session = SessionID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)
    static let device = DeviceID(rawValue: 3)

    let log: SegmentLog
    private(set) var frames = 0
    private(set) var events: [StreamEvent] = []

    /// - Parameters:
    ///   - disk: An empty disk.
    ///   - seconds: Duration of running.
    ///   - course: The course to follow; `nil`: none.
    ///   - lostEvents: Number of last events that are not recorded, as after a crash.
    /// - Throws: Errors of the disk or the codec.
    init(
        disk: any Disk, seconds: Double, course: Course? = nil, lostEvents: Int = 0
    ) throws {
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        log = try SegmentLog.open(
            disk: disk, configuration: LogConfiguration(reserveBytes: 0), now: start)
        let head = SessionHead(
            session: Self.session, device: Self.device, arrivalTime: start, recorded: false,
            profile: RunnerProfile(), algorithmVersion: SessionPipeline.algorithmVersion)
        var bytes: [UInt8] = []
        SessionHeadCodec.encode(head, to: &bytes)
        _ = log.appendSession(
            Self.session, device: Self.device, deviceTime: start, arrivalTime: start,
            payload: bytes.span)
        try record(seconds: seconds, from: start, course: course, lostEvents: lostEvents)
        log.syncAppended()
    }

    private mutating func record(
        seconds: Double, from start: Timestamp, course: Course?, lostEvents: Int
    ) throws {
        var settings = RunnerSettings()
        settings.startTime = start
        settings.footPod = RunnerSettings.FootPod()
        var runner = SimulatedRunner(
            seed: 5, plan: .easy(minutes: seconds / 60), settings: settings)
        var computation = SessionComputation(profile: RunnerProfile())
        if let course {
            var bytes: [UInt8] = []
            CourseCodec.encode(course, to: &bytes)
            _ = log.appendSession(
                Self.session, device: Self.device, deviceTime: start, arrivalTime: start,
                payload: bytes.span)
            computation.apply(
                route: CourseRoute(course), at: start, into: &events)
        }
        var end = start
        var pending: [(event: StreamEvent, arrival: Timestamp)] = []
        while let next = runner.next() {
            frames += 1
            end = max(end, next.frame.deviceTime)
            var payload: [UInt8] = []
            let kind = FramePayload.encode(next.frame.payload, to: &payload)
            let header = FrameHeader(
                kind: kind, sequence: FrameSequence(rawValue: UInt32(frames)),
                deviceTime: next.frame.deviceTime)
            append(pending)
            pending = []
            _ = log.append(
                .frame(kind), session: Self.session, device: Self.device, sequence: header.sequence,
                deviceTime: header.deviceTime, arrivalTime: header.deviceTime,
                payload: payload.span)
            var new: [StreamEvent] = []
            try computation.apply(
                frame: header, payload: payload.span, arrival: header.deviceTime, into: &new)
            events += new
            pending = new.map { ($0, header.deviceTime) }
        }
        var last: [StreamEvent] = []
        computation.apply(.ended, at: end, into: &last)
        try appendTick(.ended, at: end)
        events += last
        let all = pending + last.map { ($0, end) }
        append(all.dropLast(lostEvents))
    }

    private func appendTick(_ tick: SessionTick, at time: Timestamp) throws {
        var bytes: [UInt8] = []
        SessionTickCodec.encode(tick, to: &bytes)
        _ = log.append(
            .tick, session: Self.session, device: Self.device, sequence: .none, deviceTime: time,
            arrivalTime: time,
            payload: bytes.span)
    }

    private func append(_ pending: some Sequence<(event: StreamEvent, arrival: Timestamp)>) {
        for (event, arrival) in pending {
            var bytes: [UInt8] = []
            StreamEventCodec.encode(event, to: &bytes)
            let isMetric = if case .metrics = event.kind { true } else { false }
            _ = log.append(
                isMetric ? .metric : .event, session: Self.session, device: Self.device,
                sequence: .none,
                deviceTime: event.deviceTime, arrivalTime: arrival, payload: bytes.span)
        }
    }
}
