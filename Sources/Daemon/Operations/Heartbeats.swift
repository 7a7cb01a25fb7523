import SegmentLog
import SensorModel
import Synchronization
import Transport

/// Tells a stage that hangs from one that has nothing to do, by looking twice.
///
/// Pure: who feeds the watchdog asks the stages and hands their answers in.
struct Heartbeats: Sendable {
    /// What one stage shows of itself at one moment.
    struct Beat: Hashable, Sendable {
        let stage: String
        /// Anything that changes whenever the stage does something.
        let mark: UInt64
        /// It waits, and nothing waits for it.
        let isIdle: Bool
    }

    private var marks: [String: UInt64] = [:]

    /// - Parameter beats: Of every stage, now.
    /// - Returns: Stages with work that have done nothing since the last call.
    mutating func stuck(_ beats: [Beat]) -> [String] {
        let stuck = beats.filter { !$0.isIdle && marks[$0.stage] == $0.mark }.map(\.stage)
        marks = Dictionary(beats.map { ($0.stage, $0.mark) }, uniquingKeysWith: { $1 })
        return stuck
    }
}

extension Pipeline {
    /// Every stage's sign of life: the loops, which carry ingest and fan-out, the pipeline's thread
    /// between them, and the log's threads. Asks the loops for their next one.
    func beats() -> [Heartbeats.Beat] {
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
        // A failed disk is tried again by the log itself, and /readyz tells: no reason to restart.
        let isWriting = if case .writing = log.state { true } else { false }
        beats.append(
            Heartbeats.Beat(
                stage: "log", mark: log.writtenEnd.rawValue &+ log.durableEnd.rawValue,
                isIdle: !isWriting || log.pendingBytes == 0))
        return beats
    }

    private var links: [LoopLink] { loops.links }
}
