import Sessions
import Synchronization

/// What the pipeline has done; written in its turns, read by the metrics page and the watchdog.
final class PipelineCounters: Sendable {
    let flow = FlowCounters()
    let viewers = Atomic<Int>(0)
    /// Turns of the pipeline, whoever took them: a watchdog sees it move, or sleep.
    let turns = Atomic<UInt64>(0)
    /// Those of them that event loops took, and the log's threads.
    let loopTurns = Atomic<UInt64>(0)
    let logTurns = Atomic<UInt64>(0)
    let isAsleep = Atomic<Bool>(false)
    /// Frames waited because the log had no room.
    let logFull = Atomic<Int>(0)
    /// Arrival at the socket to the append, seconds.
    let ingestLag = Histogram()
    /// Arrival at the socket to the write to viewers, seconds; delayed shares aside.
    let deliveryLag = Histogram()
    /// fdatasync, seconds.
    let syncSeconds = Histogram()
}
