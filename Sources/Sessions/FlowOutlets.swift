package import SensorModel

/// Where ``SessionFlow`` asks and tells. Called on its thread.
package struct FlowOutlets {
    package var profile: (DeviceID, Timestamp) -> RunnerProfile
    package var course: (DeviceID) -> Course?
    package var privacy: (DeviceID) -> PrivacySettings
    /// Gives a loop's viewers of a share something to see.
    package var show: (_ loop: Int, ShareKey, ShareBoard.Message) -> Void
    /// Reads a session back beside the flow, which then gets ``SessionFlow/resume(_:from:views:)`` or
    /// ``SessionFlow/giveUp(_:)``.
    package var rebuild: (SessionRebuilding) -> Void
    /// Told of every new session, with the device time of its first frame.
    package var began: (SessionID, DeviceID, Timestamp) -> Void
    /// Told of every session that silence has ended.
    package var ended: (SessionID) -> Void
    /// Told how the sessions in memory change.
    package var memory: (SessionMemory) -> Void
    /// Told of the connection whose session left memory for want of room.
    package var crowdedOut: (ConnectionID) -> Void
    /// Told of every discrete event.
    package var notice: (StreamEvent, SessionID, DeviceID) -> Void
    /// From a frame's arrival to its append.
    package var ingestLag: (_ seconds: Double) -> Void
    /// Told of what must not happen: a sentence for the journal.
    package var complain: (String) -> Void

    package init(
        profile: @escaping (DeviceID, Timestamp) -> RunnerProfile,
        course: @escaping (DeviceID) -> Course? = { _ in nil },
        privacy: @escaping (DeviceID) -> PrivacySettings,
        show: @escaping (_ loop: Int, ShareKey, ShareBoard.Message) -> Void,
        rebuild: @escaping (SessionRebuilding) -> Void,
        began: @escaping (SessionID, DeviceID, Timestamp) -> Void = { _, _, _ in },
        ended: @escaping (SessionID) -> Void = { _ in },
        memory: @escaping (SessionMemory) -> Void = { _ in },
        crowdedOut: @escaping (ConnectionID) -> Void = { _ in },
        notice: @escaping (StreamEvent, SessionID, DeviceID) -> Void = { _, _, _ in },
        ingestLag: @escaping (_ seconds: Double) -> Void = { _ in },
        complain: @escaping (String) -> Void
    ) {
        self.profile = profile
        self.course = course
        self.privacy = privacy
        self.show = show
        self.rebuild = rebuild
        self.began = began
        self.ended = ended
        self.memory = memory
        self.crowdedOut = crowdedOut
        self.notice = notice
        self.ingestLag = ingestLag
        self.complain = complain
    }
}
