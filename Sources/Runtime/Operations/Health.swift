import SensorModel
import Synchronization

/// Reasons for which the daemon is not ready, in words for the daemon's owner.
public final class Health: Sendable {
    /// A part that can fail alone while the others work.
    package enum Part: CaseIterable, Sendable {
        case log, registry, cluster
    }

    private struct State {
        var isStarted = false
        var isStopping = false
        var troubles: [Part: String] = [:]
    }

    private let state = Mutex(State())
    /// When the daemon opened its state folder.
    package let began = ContinuousClock.now
    /// One element per new trouble; the single reader of this stream tries to end the troubles.
    package let failures: AsyncStream<Void>
    private let failed: AsyncStream<Void>.Continuation

    package init() {
        (failures, failed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var troubles: [String] {
        state.withLock { state in
            var troubles: [String] = []
            if !state.isStarted { troubles.append("starting: the log is being recovered") }
            if state.isStopping { troubles.append("stopping") }
            return troubles + Part.allCases.compactMap { state.troubles[$0] }
        }
    }

    /// Whether a part has failed.
    package var isDegraded: Bool { state.withLock { !$0.troubles.isEmpty } }

    /// Whether the disk refuses what log or registry write.
    package var hasDiskTrouble: Bool {
        state.withLock { $0.troubles[.log] != nil || $0.troubles[.registry] != nil }
    }

    package func started() { state.withLock { $0.isStarted = true } }

    package func stopping() { state.withLock { $0.isStopping = true } }

    /// Requests another attempt, although no part has failed.
    package func tryAgain() { failed.yield() }

    /// - Parameters:
    ///   - part: The part.
    ///   - trouble: Its problem, and what to do; `nil`: it works again.
    package func set(_ part: Part, _ trouble: String?) {
        state.withLock { $0.troubles[part] = trouble }
        if trouble != nil { failed.yield() }
    }
}
