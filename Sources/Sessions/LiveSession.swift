import Processing
package import Replay
package import SensorModel
package import Sharing

/// One session that devices send to, or sent to last. Belongs to the pipeline.
package final class LiveSession {
    /// Sessions are looked at together at whole multiples of this: for each alone the thread would
    /// have to be woken. Below what anyone can tell.
    private static let togetherMicroseconds: Int64 = 20_000

    /// What one takes of memory, in bytes: 11 KiB of processors, its fields and the order of its frames.
    /// A view that hides something is counted apart, as ``hidingBytes``.
    package static let bytesMax = 26 << 10

    package let id: SessionID
    package let device: DeviceID
    /// Device times may lie far from arrival.
    package let isRecorded: Bool

    /// `nil` while it is rebuilt from the log after a restart; frames then wait in ``backlog``.
    package var computation: LiveComputation?
    /// What is asked of the log while there is no computation; an answer to anything else is old.
    package var rebuilding: SessionRebuilding?
    package var backlog: [RecordedInput] = []
    /// What viewers may be shown; every event of the session passes through it.
    package var views: SessionViews {
        didSet { noteHiding() }
    }

    /// The newest device time of a frame that was not late.
    package var lastDeviceTime: Timestamp
    /// When the newest frame came.
    package var lastArrival: Timestamp
    package var hasEnded = false {
        didSet { if hasEnded != oldValue { ended?(hasEnded) } }
    }
    /// Set while it is among ``LiveSessions``, which count.
    var ended: ((Bool) -> Void)?
    /// The same: the difference of ``hidingBytes``.
    var hidingGrew: ((Int) -> Void)?
    /// What the view that hides something takes of memory; 0 where nothing is hidden.
    private(set) var hidingBytes = 0
    /// Split and lap events so far: with the newest metrics they are a snapshot.
    package var summaryEvents = SummaryEvents()
    package var lastSnapshot: Timestamp?
    /// Silence was noted; it is not looked at again before this, whatever the processors say.
    package var notBefore: Timestamp?

    package init(
        id: SessionID, device: DeviceID, isRecorded: Bool, computation: LiveComputation?,
        views: SessionViews, deviceTime: Timestamp, arrival: Timestamp
    ) {
        self.id = id
        self.device = device
        self.isRecorded = isRecorded
        self.computation = computation
        self.views = views
        lastDeviceTime = deviceTime
        lastArrival = arrival
    }

    private func noteHiding() {
        let bytes = views.hidingBytes
        guard bytes != hidingBytes else { return }
        hidingGrew?(bytes - hidingBytes)
        hidingBytes = bytes
    }

    /// When time alone changes something, by the arrival clock; `nil`: never, or it is being rebuilt.
    ///
    /// - Parameter silenceMicroseconds: After which the session has ended.
    /// - Returns: A moment of the arrival clock.
    package func nextDeadline(silenceMicroseconds: Int64) -> Timestamp? {
        guard computation != nil else { return nil }
        let silence = nextSilence(silenceMicroseconds: silenceMicroseconds)
        return [silence, views.nextDeadline].compactMap { $0 }.min()
    }

    /// When silence alone does.
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

/// A session's processors, changed in place. In a box of their own, for whoever asks whether there
/// are any would copy them.
package final class LiveComputation {
    package var processors: SessionComputation {
        didSet { silenceDeadline = Self.silenceDeadline(of: &processors) }
    }
    /// When silence changes something of them, by the device's clock. Kept beside them: it is asked
    /// more often than they change.
    package private(set) var silenceDeadline: Timestamp?

    package init(_ processors: SessionComputation) {
        self.processors = processors
        silenceDeadline = processors.pipeline.nextSilenceDeadline
    }

    /// Borrowed as if to be changed: read out of the box, all 11 KiB would be copied.
    private static func silenceDeadline(of processors: inout SessionComputation) -> Timestamp? {
        processors.pipeline.nextSilenceDeadline
    }
}

/// A frame, tick, profile or course of a session, kept for later.
package struct RecordedInput {
    package enum Kind {
        case frame(FrameHeader, payload: [UInt8])
        case tick(SessionTick, deviceTime: Timestamp)
        case profile(RunnerProfile, deviceTime: Timestamp)
        case course(Course?, deviceTime: Timestamp)
    }

    package let kind: Kind
    package let arrival: Timestamp
}
