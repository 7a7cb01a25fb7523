import SegmentLog
import SensorModel
import Synchronization
import Transport

/// Detects hung stages by comparing two observations; an idle stage is not hung.
///
/// Pure: the caller collects the stages' state and feeds the watchdog.
package struct Heartbeats: Sendable {
    /// State of one stage at one moment.
    package struct Beat: Hashable, Sendable {
        let stage: String
        /// A value that changes whenever the stage does work.
        let mark: UInt64
        /// Whether the stage waits and no work waits for it.
        let isIdle: Bool
    }

    private var marks: [String: UInt64] = [:]

    package init() {}

    /// - Parameter beats: Current state of every stage.
    /// - Returns: Stages with work that have done nothing since the last call.
    package mutating func stuck(_ beats: [Beat]) -> [String] {
        let stuck = beats.filter { !$0.isIdle && marks[$0.stage] == $0.mark }.map(\.stage)
        marks = Dictionary(beats.map { ($0.stage, $0.mark) }, uniquingKeysWith: { $1 })
        return stuck
    }
}

extension Pipeline {
    /// Every stage's state: the loops, which carry ingest and fan-out, the pipeline's thread, and
    /// the log's threads. Also requests the loops' next heartbeat.
    package func beats() -> [Heartbeats.Beat] {
        var beats = links.map { link in
            let pulse = link.pulse
            return Heartbeats.Beat(
                stage: "event loop \(link.index)", mark: UInt64(pulse.answered),
                isIdle: !pulse.isOwed && link.outboundFillRatio == 0)
        }
        for link in links { link.askForPulse() }
        beats.append(
            Heartbeats.Beat(
                stage: "pipeline", mark: counters.turns.load(ordering: .relaxed),
                isIdle: counters.isAsleep.load(ordering: .relaxed) && mailbox.isEmpty))
        // The log itself retries after a disk failure, and /readyz reports it: no reason to
        // restart.
        let isWriting = if case .writing = log.state { true } else { false }
        beats.append(
            Heartbeats.Beat(
                stage: "log", mark: log.writtenEnd.rawValue &+ log.durableEnd.rawValue,
                isIdle: !isWriting || log.pendingBytes == 0))
        return beats
    }

    private var links: [LoopLink] { loops.links }
}
