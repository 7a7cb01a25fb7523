package import Ingest
package import Logging
package import SegmentLog
package import SensorModel
package import Sessions
package import Transport

/// Parts that the pipeline is built from; handed over once, at its start.
package struct PipelineParts: Sendable {
    package var log: SegmentLog
    package var links: [LoopLink]
    package var mailbox: PipelineMailbox
    package var counters: PipelineCounters
    package var accounts: Accounts
    package var ingest: IngestSettings
    package var silenceSeconds: Double
    /// Whether an acknowledged record is on disk; depends on the log's durability setting.
    package var isDurable: Bool
    package var logger: Logger
    /// Serves readers of other services' interfaces.
    package var heartRates: HeartRateHub
    /// Rebuilds a session on another thread and posts the result.
    var rebuild: @Sendable (RebuildTicket) -> Void
    /// Ends the rebuilding of a session that left memory.
    var stopRebuilding: @Sendable (SessionID) -> Void
    /// Called for every new session, with the device time of its first frame.
    package var began: @Sendable (SessionID, DeviceID, Timestamp) -> Void
    /// Counts the recorded sessions of a device and of all devices.
    package var recorded: @Sendable (DeviceID) -> SessionQuota.Count
    /// Called for changes of the sessions in memory.
    package var memory: @Sendable (SessionMemory) -> Void
    /// Called for every discrete event.
    package var notice: @Sendable (StreamEvent, SessionID, DeviceID) -> Void
}
