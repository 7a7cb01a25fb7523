import Processing
import Replay
import SensorModel
import Sharing

/// One session that devices send to, or sent to last. Belongs to the pipeline thread.
final class LiveSession {
    let id: SessionID
    let device: DeviceID
    /// Device times may lie far from arrival.
    let isRecorded: Bool

    /// `nil` while it is rebuilt from the log after a restart; frames then wait in ``backlog``.
    var computation: SessionComputation?
    var backlog: [RecordedInput] = []
    /// What viewers may be shown; every event of the session passes through it.
    var fields: SessionFields

    /// The newest device time of a frame that was not late.
    var lastDeviceTime: Timestamp
    /// When the newest frame came.
    var lastArrival: Timestamp
    var hasEnded = false
    /// Split and lap events so far: with the newest metrics they are a snapshot.
    var summaryEvents: [StreamEvent] = []
    var lastSnapshot: Timestamp?
    /// Silence was noted; it is not looked at again before this, whatever the processors say.
    var notBefore: Timestamp?

    init(
        id: SessionID, device: DeviceID, isRecorded: Bool, computation: SessionComputation?,
        fields: SessionFields, deviceTime: Timestamp, arrival: Timestamp
    ) {
        self.id = id
        self.device = device
        self.isRecorded = isRecorded
        self.computation = computation
        self.fields = fields
        lastDeviceTime = deviceTime
        lastArrival = arrival
    }

    /// When silence alone changes something, by the arrival clock; `nil`: never, or it is being
    /// rebuilt.
    ///
    /// - Parameter silenceMicroseconds: After which the session has ended.
    /// - Returns: A moment of the arrival clock.
    func nextDeadline(silenceMicroseconds: Int64) -> Timestamp? {
        guard !hasEnded, let computation else { return nil }
        let end = lastArrival.advanced(byMicroseconds: silenceMicroseconds)
        guard let due = computation.pipeline.nextSilenceDeadline else { return end }
        let wait = max(0, due.microseconds - lastDeviceTime.microseconds)
        let stale = lastArrival.advanced(byMicroseconds: wait)
        return min(end, max(stale, notBefore ?? stale))
    }
}

/// A frame, tick or profile of a session, kept for later.
struct RecordedInput {
    enum Kind {
        case frame(FrameHeader, payload: [UInt8])
        case tick(SessionTick, deviceTime: Timestamp)
        case profile(RunnerProfile, deviceTime: Timestamp)
    }

    let kind: Kind
    let arrival: Timestamp
}
