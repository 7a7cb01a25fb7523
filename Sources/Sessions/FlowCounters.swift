package import Synchronization

/// Counters of the flow of frames; written by its thread, read by the metrics page.
package final class FlowCounters: Sendable {
    package let framesRecorded = Atomic<Int>(0)
    package let framesDuplicate = Atomic<Int>(0)
    package let framesLate = Atomic<Int>(0)
    package let gaps = Atomic<Int>(0)
    package let recordsAppended = Atomic<Int>(0)
    package let sessionsLive = Atomic<Int>(0)

    package init() {}
}
