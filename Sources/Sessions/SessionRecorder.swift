import Processing
package import SegmentLog
package import SensorModel
import Sharing
import Synchronization
import WireFormat

/// Writes a session's records in order, computes the events that follow from each, writes those
/// too, and passes them to the hub. Used only in the pipeline's turns.
///
///     frame → log → processors → metrics and events → log → fields → hub
package final class SessionRecorder {
    /// Interval of snapshot records, from which a reader can start.
    private static let snapshotSeconds = 60.0

    private let log: SegmentLog
    private let hub: ShareHub
    private let counters: FlowCounters
    /// Called with a sentence for the journal when an invariant is violated or a bound is reached.
    private let complain: (String) -> Void
    /// Called with discrete events, for webhooks and journal.
    private let notice: (StreamEvent, SessionID, DeviceID) -> Void
    private var events: [StreamEvent] = []
    private var bytes: [UInt8] = []

    package init(
        log: SegmentLog, hub: ShareHub, counters: FlowCounters,
        complain: @escaping (String) -> Void,
        notice: @escaping (StreamEvent, SessionID, DeviceID) -> Void
    ) {
        self.log = log
        self.hub = hub
        self.counters = counters
        self.complain = complain
        self.notice = notice
    }

    /// Writes the session's first record, or its profile's newest form.
    ///
    /// - Returns: The record's offset; `nil` if the log did not take it.
    package func record(
        head: SessionHead, deviceTime: Timestamp, isBeginning: Bool
    ) -> RecordOffset? {
        bytes.removeAll(keepingCapacity: true)
        SessionHeadCodec.encode(head, to: &bytes)
        let offset = log.append(
            .session, session: head.session, device: head.device,
            sequence: isBeginning ? .none : RecordHeader.laterHead, deviceTime: deviceTime,
            arrivalTime: head.arrivalTime, payload: bytes.span)
        counters.recordsAppended.add(1, ordering: .relaxed)
        return offset
    }

    /// - Returns: The frame's offset; `nil` if the log did not take it.
    package func record(
        frame header: FrameHeader, payload: Span<UInt8>, of live: LiveSession, arrival: Timestamp
    ) -> RecordOffset? {
        guard
            let offset = log.append(
                .frame(header.kind), session: live.id, device: live.device,
                sequence: header.sequence, deviceTime: header.deviceTime, arrivalTime: arrival,
                payload: payload)
        else { return nil }
        counters.framesRecorded.add(1, ordering: .relaxed)
        counters.recordsAppended.add(1, ordering: .relaxed)
        live.lastArrival = arrival
        // No RecordedInput is used here: it would copy each payload.
        guard let computation = live.computation else {
            live.keep(
                at: offset, bytes: RecordedInput.bytes(payload: payload.count), arrival: arrival
            ) {
                let copy = (0..<payload.count).map { payload[$0] }
                return RecordedInput(
                    kind: .frame(header, payload: copy), arrival: arrival, offset: offset)
            }
            return offset
        }
        apply(header, payload, arrival: arrival, to: &computation.processors, of: live)
        publishEvents(of: live, arrival: arrival)
        return offset
    }

    /// Records an observation of the daemon and passes it to the processors.
    package func record(
        _ tick: SessionTick, deviceTime: Timestamp, of live: LiveSession, arrival: Timestamp
    ) {
        bytes.removeAll(keepingCapacity: true)
        SessionTickCodec.encode(tick, to: &bytes)
        let offset = log.append(
            .tick, session: live.id, device: live.device, sequence: .none, deviceTime: deviceTime,
            arrivalTime: arrival, payload: bytes.span)
        counters.recordsAppended.add(1, ordering: .relaxed)
        compute(.tick(tick, deviceTime: deviceTime), at: offset, arrival: arrival, of: live)
    }

    /// Records a profile that the owner changed during the session.
    package func record(profile head: SessionHead, of live: LiveSession, arrival: Timestamp) {
        let deviceTime = live.lastDeviceTime
        let offset = record(head: head, deviceTime: deviceTime, isBeginning: false)
        guard offset != nil else { return }
        live.views.note(.profile(isOnTreadmill: head.profile.treadmill))
        compute(
            .profile(head.profile, deviceTime: deviceTime), at: offset, arrival: arrival, of: live)
    }

    /// Records a course, unless the session follows an equal one: then only the object is replaced.
    func follow(_ route: CourseRoute?, _ live: LiveSession, arrival: Timestamp) {
        let own = live.computation?.processors.pipeline.route
        guard live.computation == nil || own?.course != route?.course else {
            live.computation?.processors.apply(
                route: route, at: live.lastDeviceTime, into: &events)
            return publishEvents(of: live, arrival: arrival)
        }
        record(course: route, of: live, arrival: arrival)
    }

    /// Records the course to follow, at the session's start and when the owner changes it.
    func record(course route: CourseRoute?, of live: LiveSession, arrival: Timestamp) {
        let deviceTime = live.lastDeviceTime
        bytes.removeAll(keepingCapacity: true)
        CourseCodec.encode(route?.course, to: &bytes)
        let offset = log.appendSession(
            live.id, device: live.device, deviceTime: deviceTime, arrivalTime: arrival,
            payload: bytes.span)
        guard offset != nil else { return }
        counters.recordsAppended.add(1, ordering: .relaxed)
        compute(.course(route, deviceTime: deviceTime), at: offset, arrival: arrival, of: live)
        // A course is a hundred times as large as what a turn usually appends.
        bytes = []
    }

    // MARK: Into the processors

    /// Computes the events of an input that is not a frame, or adds it to the backlog while the
    /// session is rebuilt. `offset` is its record; `nil`: the log did not take it.
    private func compute(
        _ kind: RecordedInput.Kind, at offset: RecordOffset?, arrival: Timestamp,
        of live: LiveSession
    ) {
        let input = RecordedInput(
            kind: kind, arrival: arrival, offset: offset ?? RecordOffset(rawValue: 0))
        guard let computation = live.computation else {
            guard let offset else { return }
            return live.keep(at: offset, bytes: input.bytes, arrival: input.arrival) { input }
        }
        _ = apply(input, to: computation, of: live)
    }

    /// Applies an input, and publishes the events that follow from it.
    ///
    /// - Returns: Number of events.
    func apply(
        _ input: RecordedInput, to computation: LiveComputation, of live: LiveSession
    ) -> Int {
        apply(input, to: &computation.processors, of: live)
        let count = events.count
        publishEvents(of: live, arrival: input.arrival)
        return count
    }

    private func apply(
        _ input: RecordedInput, to computation: inout SessionComputation, of live: LiveSession
    ) {
        switch input.kind {
        case .frame(let header, let payload):
            apply(header, payload.span, arrival: input.arrival, to: &computation, of: live)
        case .tick(let tick, let deviceTime):
            computation.apply(tick, at: deviceTime, into: &events)
        case .profile(let profile, let deviceTime):
            computation.apply(profile: profile, at: deviceTime, into: &events)
        case .course(let course, let deviceTime):
            computation.apply(route: course, at: deviceTime, into: &events)
        }
    }

    private func apply(
        _ header: FrameHeader, _ payload: Span<UInt8>, arrival: Timestamp,
        to computation: inout SessionComputation, of live: LiveSession
    ) {
        if !computation.isLate(header.sequence) { live.lastDeviceTime = header.deviceTime }
        do {
            try computation.apply(
                frame: header, payload: payload, arrival: arrival, into: &events)
        } catch {
            // The listener has checked the frame: one that cannot be read here is a bug of the
            // daemon.
            assertionFailure("a frame passed the door and cannot be read: \(error)")
            complain("a recorded frame cannot be computed: \(error)")
        }
    }

    private func publishEvents(of live: LiveSession, arrival: Timestamp) {
        for event in events { publish(event, of: live, arrival: arrival) }
        events.removeAll(keepingCapacity: true)
    }

    /// Writes an event and shows it.
    func publish(_ event: StreamEvent, of live: LiveSession, arrival: Timestamp) {
        let arrival = live.ordered(arrival)
        bytes.removeAll(keepingCapacity: true)
        StreamEventCodec.encode(event, to: &bytes)
        let isMetric = if case .metrics = event.kind { true } else { false }
        guard
            let offset = log.append(
                isMetric ? .metric : .event, session: live.id, device: live.device, sequence: .none,
                deviceTime: event.deviceTime, arrivalTime: arrival, payload: bytes.span)
        else {
            // Frames are taken only while the log has space for the resulting events.
            complain("the log is full: an event was shown and not kept")
            return
        }
        counters.recordsAppended.add(1, ordering: .relaxed)
        remember(event, of: live)
        hub.publish(
            live.views.take(event, at: offset, arrival: arrival), of: live.device, at: arrival)
        if isMetric {
            snapshotIfDue(event, of: live, arrival: arrival)
        } else {
            live.noteSummary()
            notice(event, live.id, live.device)
        }
    }

    private func remember(_ event: StreamEvent, of live: LiveSession) {
        live.summaryEvents.take(event)
        switch event.kind {
        case .ended: live.hasEnded = true
        case .metrics(let metrics) where metrics.state != .ended && live.hasEnded:
            // The device has sent again after a silence that ended the session.
            live.hasEnded = false
            noteContinuation(live)
        default: break
        }
    }

    /// Makes shares show a session that continues.
    func noteContinuation(_ live: LiveSession) {
        hub.sessionContinued(
            live.id, of: live.device,
            began: log.summary(of: live.id)?.arrivalTimes.lowerBound ?? live.lastArrival,
            overAt: live.overAt, at: live.lastArrival, isInView: live.views.isInView,
            isHiding: live.views.hides(hidingPlaces: true))
    }

    private func snapshotIfDue(_ event: StreamEvent, of live: LiveSession, arrival: Timestamp) {
        let isDue = live.lastSnapshot.map {
            // The device's clock may be set back.
            abs(event.deviceTime.seconds(since: $0)) >= Self.snapshotSeconds
        }
        guard isDue ?? true, live.isWorthSnapshot(at: log.nextOffset) else { return }
        live.lastSnapshot = event.deviceTime
        // A view that hides something adds its splits with the metrics.
        live.noteSummary()
        bytes.removeAll(keepingCapacity: true)
        SnapshotCodec.encode(live.summaryEvents, newest: event, to: &bytes)
        live.noteSnapshot(at: log.nextOffset, bytes: bytes.count)
        _ = log.append(
            .snapshot, session: live.id, device: live.device, sequence: .none,
            deviceTime: event.deviceTime, arrivalTime: arrival, payload: bytes.span)
        counters.recordsAppended.add(1, ordering: .relaxed)
    }
}
