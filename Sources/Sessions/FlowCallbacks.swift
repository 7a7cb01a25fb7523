package import Ingest
package import Processing
package import SensorModel

/// Functions that ``SessionFlow`` calls, on its thread.
package struct FlowCallbacks {
    package var profile: (DeviceID, Timestamp) -> RunnerProfile
    package var course: (DeviceID) -> CourseRoute?
    package var privacy: (DeviceID) -> PrivacySettings
    /// Counts recorded sessions, also those that have just begun.
    package var recorded: (DeviceID) -> SessionQuota.Count
    /// Sends a message to a loop's viewers of a share.
    package var show: (_ loop: Int, ShareKey, ShareHub.Message) -> Void
    /// Reads a session from the log beside the flow, which then gets
    /// ``SessionFlow/resume(_:with:)`` or ``SessionFlow/giveUp(_:)``. A ticket replaces an earlier
    /// one of its session.
    package var rebuild: (RebuildTicket) -> Void
    /// Called when a session's ticket is not needed any more.
    package var stopRebuilding: (SessionID) -> Void
    /// Called for every new session, with the device time of its first frame.
    package var began: (SessionID, DeviceID, Timestamp) -> Void
    /// Called when the sessions in memory change.
    package var memory: (SessionMemory) -> Void
    /// Called with the connection of a session that was evicted from memory to make space.
    package var disconnect: (ConnectionID) -> Void
    /// Called for every discrete event.
    package var notice: (StreamEvent, SessionID, DeviceID) -> Void
    /// Called with the time from a frame's arrival to its append.
    package var ingestLag: (_ seconds: Double) -> Void
    /// Called with a sentence for the journal when an invariant is violated or a bound is reached.
    package var complain: (String) -> Void

    package init(
        profile: @escaping (DeviceID, Timestamp) -> RunnerProfile,
        course: @escaping (DeviceID) -> CourseRoute? = { _ in nil },
        privacy: @escaping (DeviceID) -> PrivacySettings,
        recorded: @escaping (DeviceID) -> SessionQuota.Count = { _ in .init(own: 0, all: 0) },
        show: @escaping (_ loop: Int, ShareKey, ShareHub.Message) -> Void,
        rebuild: @escaping (RebuildTicket) -> Void,
        stopRebuilding: @escaping (SessionID) -> Void = { _ in },
        began: @escaping (SessionID, DeviceID, Timestamp) -> Void = { _, _, _ in },
        memory: @escaping (SessionMemory) -> Void = { _ in },
        disconnect: @escaping (ConnectionID) -> Void = { _ in },
        notice: @escaping (StreamEvent, SessionID, DeviceID) -> Void = { _, _, _ in },
        ingestLag: @escaping (_ seconds: Double) -> Void = { _ in },
        complain: @escaping (String) -> Void
    ) {
        self.profile = profile
        self.course = course
        self.privacy = privacy
        self.recorded = recorded
        self.show = show
        self.rebuild = rebuild
        self.stopRebuilding = stopRebuilding
        self.began = began
        self.memory = memory
        self.disconnect = disconnect
        self.notice = notice
        self.ingestLag = ingestLag
        self.complain = complain
    }
}
