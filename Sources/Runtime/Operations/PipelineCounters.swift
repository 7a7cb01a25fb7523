package import Sessions
package import Synchronization

/// Counters of the pipeline. Its turns write them; the metrics page and the watchdog read them.
package final class PipelineCounters: Sendable {
    package let flow = FlowCounters()
    package let viewers = Atomic<Int>(0)
    /// Turns of the pipeline on any thread; the watchdog uses them to detect progress.
    package let turns = Atomic<UInt64>(0)
    /// Turns on event loops and on the log's threads.
    package let loopTurns = Atomic<UInt64>(0)
    package let logTurns = Atomic<UInt64>(0)
    /// Nanoseconds within turns, on any thread: what one process cannot do on two processors.
    package let turnNanoseconds = Atomic<UInt64>(0)
    let isAsleep = Atomic<Bool>(false)
    /// Times that frames waited because the log had no room.
    let logFull = Atomic<Int>(0)
    /// Seconds from arrival at the socket to the append.
    package let ingestLag = Histogram()
    /// Seconds from arrival at the socket to the write to viewers; without delayed shares.
    package let deliveryLag = Histogram()
    /// Duration of fdatasync, seconds.
    package let syncSeconds = Histogram()
}
