import Processing
import SegmentLog
package import SensorModel
package import Sharing

/// A session in memory that devices send to, or sent to last. Belongs to the pipeline.
package final class LiveSession {
    /// Deadlines of sessions are rounded up to multiples of this, so that the thread wakes once for
    /// many sessions. People do not notice so short a delay.
    private static let togetherMicroseconds: Int64 = 20_000

    /// Memory of one session in bytes: 11 KiB of processors, its fields and the order of its
    /// frames. A view that hides something is counted separately, as ``hidingBytes``, and splits
    /// and laps as ``summaryBytes``.
    package static let bytesEach = 24 << 10
    /// Memory of one session with splits and laps, in bytes, on average over all sessions: 10,000
    /// of six kilometers, or about 6,000 marathons.
    package static let bytesMax = 26 << 10

    package let id: SessionID
    package let device: DeviceID
    /// Whether the session is sent from a recording, so that device times may be far from arrival.
    package let isRecorded: Bool

    /// `nil` while it is rebuilt from the log after a restart; inputs then wait in ``backlog``.
    package var computation: LiveComputation?
    /// Number of the pending request to the log while there is no computation; answers to other
    /// requests are outdated.
    package var rebuilding: UInt64?
    package private(set) var backlog = SessionBacklog()
    /// Called with the change of the backlog's bytes; set while the session is in ``LiveSessions``.
    /// Returns whether there is room for it.
    var backlogGrew: ((Int) -> Bool)?
    /// The state that was read from the log, until the events and inputs after it are processed.
    var restoring: RestoringSession?
    /// Whether the views contain everything that was recorded before the backlog.
    var isRead: Bool
    /// The views of the session; every event of the session passes through them.
    package var views: SessionViews {
        didSet { noteHiding() }
    }

    /// The newest device time of a frame that was not late.
    package var lastDeviceTime: Timestamp
    /// Arrival of the newest frame.
    package var lastArrival: Timestamp
    /// Arrival with which the newest event was recorded.
    private var newestArrival: Timestamp?
    package var hasEnded = false {
        didSet {
            if !hasEnded { isEndedBySilence = false }
            if hasEnded != oldValue { ended?(hasEnded) }
        }
    }
    /// Whether silence ended it, and no stop of the device.
    package var isEndedBySilence = false
    /// Whether a device has connected to it since it was loaded into memory.
    var hasReconnected = false
    /// Time at which silence ended it, if a device connected again later. A session that had stayed
    /// in memory would have got an end record.
    private(set) var overAt: Timestamp?
    /// Whether the log could not return it; whether it has ended is then unknown.
    var isGivenUp = false
    /// Called when `hasEnded` changes; set while the session is in ``LiveSessions``, which counts.
    var ended: ((Bool) -> Void)?
    /// Called when ``waitsSince`` changes; set while the session is in ``LiveSessions``.
    var waitChanged: ((Timestamp?) -> Void)?
    /// The earliest arrival of an input that is recorded but not processed, kept or given up.
    private(set) var waitsSince: Timestamp? {
        didSet { if waitsSince != oldValue { waitChanged?(waitsSince) } }
    }
    /// Called with the change of ``hidingBytes``; set while the session is in ``LiveSessions``.
    var hidingGrew: ((Int) -> Void)?
    /// Memory of the view that hides something, in bytes; 0 if nothing is hidden.
    private(set) var hidingBytes = 0
    /// Split and lap events so far; with the newest metrics they form a snapshot.
    package var summaryEvents = SummaryEvents()
    /// Called with the change of ``summaryBytes``; set while the session is in ``LiveSessions``.
    var summaryGrew: ((Int) -> Void)?
    /// Memory of splits and laps, here and in the views, and of ``routeBytes``, in bytes.
    private(set) var summaryBytes = 0
    /// Memory of a course that is not the device's current one, which is counted elsewhere.
    var routeBytes = 0
    package var lastSnapshot: Timestamp?
    /// The log's next offset at the last snapshot, and the snapshot's size.
    private var snapshot: (next: RecordOffset, bytes: Int)?
    /// Silence was recorded; it is not checked again before this time, whatever the processors
    /// request.
    package var notBefore: Timestamp?

    package init(
        id: SessionID, device: DeviceID, isRecorded: Bool, computation: LiveComputation?,
        views: SessionViews, deviceTime: Timestamp, arrival: Timestamp
    ) {
        self.id = id
        self.device = device
        self.isRecorded = isRecorded
        self.computation = computation
        isRead = computation != nil
        self.views = views
        lastDeviceTime = deviceTime
        lastArrival = arrival
    }

    /// A larger step back is that of the clock, seconds.
    private static let stepBackSecondsMax = 30.0

    /// Puts the arrivals of events into the order of the log.
    ///
    /// A silence, and events that a session lacks after it was read from the log, are of the present
    /// time, and frames that arrived before may be processed after them. A delayed share shows no
    /// event before an earlier one, live and in the history.
    ///
    /// - Parameter arrival: Arrival of the event's input.
    /// - Returns: Arrival with which to record the event, never a little before that of the last.
    func ordered(_ arrival: Timestamp) -> Timestamp {
        var ordered = arrival
        if let newest = newestArrival, newest.seconds(since: arrival) <= Self.stepBackSecondsMax {
            ordered = max(arrival, newest)
        }
        newestArrival = ordered
        return ordered
    }

    /// Notes an end. Shares that are made after the first one do not show the session, even if it
    /// continues.
    func noteOver(at time: Timestamp?) {
        guard let time else { return }
        overAt = min(time, overAt ?? time)
    }

    private func noteHiding() {
        let bytes = views.hidingBytes
        guard bytes != hidingBytes else { return }
        hidingGrew?(bytes - hidingBytes)
        hidingBytes = bytes
    }

    /// Adds an input to the backlog until the session is rebuilt, unless inputs were given up.
    ///
    /// - Parameters:
    ///   - offset: Offset of its record in the log.
    ///   - bytes: Memory of the input.
    ///   - arrival: Its arrival.
    ///   - make: Makes the input; called if there is room for it.
    func keep(
        at offset: RecordOffset, bytes: Int, arrival: Timestamp, _ make: () -> RecordedInput
    ) {
        waitsSince = min(arrival, waitsSince ?? arrival)
        guard backlog.givenUpFrom == nil else { return }
        guard backlog.bytes + bytes <= SessionBacklog.bytesMax, backlogGrew?(bytes) ?? true else {
            _ = backlogGrew?(-backlog.bytes)
            return backlog.giveUp(before: offset)
        }
        backlog.append(make())
    }

    /// Notes that all inputs are processed.
    func noteProcessed() { waitsSince = nil }

    /// Removes the oldest input from the backlog, and returns it.
    func nextInput() -> RecordedInput? {
        guard let input = backlog.popFirst() else { return nil }
        _ = backlogGrew?(-input.bytes)
        return input
    }

    /// Clears the backlog, since the log is read up to here.
    func startBacklog() {
        _ = backlogGrew?(-backlog.bytes)
        backlog = SessionBacklog()
    }

    /// Whether the log has grown by about the size of a snapshot since the last one. With hundreds
    /// of laps a snapshot is as large as minutes of the session.
    func isWorthSnapshot(at next: RecordOffset) -> Bool {
        guard let snapshot else { return true }
        let records = Int(clamping: next.rawValue &- snapshot.next.rawValue)
        return records >= snapshot.bytes / Self.recordBytes
    }

    func noteSnapshot(at next: RecordOffset, bytes: Int) {
        snapshot = (next, bytes)
    }

    /// Approximate bytes of a record in the log.
    private static let recordBytes = 64

    /// Clears the note that inputs were given up, since the log cannot be read.
    func forgetGivenUp() {
        if backlog.givenUpFrom != nil { startBacklog() }
    }

    /// Called after a change of ``summaryEvents``.
    func noteSummary() {
        let bytes = summaryEvents.bytes + views.splitBytes + routeBytes
        guard bytes != summaryBytes else { return }
        summaryGrew?(bytes - summaryBytes)
        summaryBytes = bytes
    }

    /// The next time at which the passage of time changes something, by the arrival clock; `nil`:
    /// never, or the session is being rebuilt.
    ///
    /// - Parameter silenceMicroseconds: Silence after which the session has ended.
    /// - Returns: A time of the arrival clock.
    package func nextDeadline(silenceMicroseconds: Int64) -> Timestamp? {
        guard computation != nil else { return nil }
        let silence = nextSilence(silenceMicroseconds: silenceMicroseconds)
        return [silence, views.nextDeadline].compactMap { $0 }.min()
    }

    /// The next time at which silence changes something.
    func nextSilence(silenceMicroseconds: Int64) -> Timestamp? {
        guard !hasEnded, let computation else { return nil }
        let end = lastArrival.advanced(byMicroseconds: silenceMicroseconds)
        guard let change = computation.silenceDeadline else { return end }
        let wait = max(0, change.microseconds - lastDeviceTime.microseconds)
        let stale = lastArrival.advanced(byMicroseconds: wait)
        let due = max(stale, notBefore ?? stale).microseconds
        let past = due % Self.togetherMicroseconds
        return min(
            end, Timestamp(microseconds: past > 0 ? due - past + Self.togetherMicroseconds : due))
    }
}

/// A session's processors, changed in place. They are in a class of their own because a check for
/// `nil` would otherwise copy them.
package final class LiveComputation {
    package var processors: SessionComputation {
        didSet { silenceDeadline = Self.silenceDeadline(of: &processors) }
    }
    /// The next time at which silence changes them, by the device's clock. Stored beside them,
    /// because it is read more often than they change.
    package private(set) var silenceDeadline: Timestamp?

    package init(_ processors: SessionComputation) {
        self.processors = processors
        silenceDeadline = processors.pipeline.nextSilenceDeadline
    }

    /// Takes the processors `inout`: a read out of the object would copy all 11 KiB.
    private static func silenceDeadline(of processors: inout SessionComputation) -> Timestamp? {
        processors.pipeline.nextSilenceDeadline
    }
}

/// A session that was read from the log and is not live yet.
struct RestoringSession {
    /// The state after all inputs before the backlog, or before ``unread``.
    let computation: LiveComputation
    /// Events that follow from those inputs and are not in the log.
    var events: ArraySlice<StreamEvent>
    /// Offset at which the reading continues after the events; `nil`: the backlog follows.
    var unread: RecordOffset?
    /// Number of events in the log that follow from the inputs after ``unread``.
    var recorded = 0
}
