package import SensorModel
package import Sessions
import Sharing

/// Requests that wait until sessions from before a restart are loaded.
struct LoadWaiters {
    private struct Wait {
        let shares: [Share]
        let since: Timestamp
        let body: @Sendable () -> Void
    }

    /// Age from which a full list drops a wait; no request waits this long.
    private static let secondsMax = 5.0

    /// Maximum number of waiting requests; all are checked whenever a session is loaded.
    private static let waitsMax = 1024

    private var waits: [Wait] = []

    var isEmpty: Bool { waits.isEmpty }

    /// - Returns: `false`: too many wait already.
    mutating func add(
        _ shares: [Share], at now: Timestamp, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        if waits.count == Self.waitsMax {
            waits.removeAll { abs(now.seconds(since: $0.since)) > Self.secondsMax }
        }
        guard waits.count < Self.waitsMax else { return false }
        waits.append(Wait(shares: shares, since: now, body: body))
        return true
    }

    /// - Parameter isLoading: Whether a share's session is still loading.
    /// - Returns: Callbacks of the waits whose shares are all loaded.
    mutating func takeLoaded(_ isLoading: (Share) -> Bool) -> [@Sendable () -> Void] {
        var loaded: [@Sendable () -> Void] = []
        waits.removeAll { wait in
            guard !wait.shares.contains(where: isLoading) else { return false }
            loaded.append(wait.body)
            return true
        }
        return loaded
    }
}

extension PipelineCore {
    package func resume(_ rebuilding: RebuildTicket, with part: RebuildTicket.Part) {
        flow.resume(rebuilding, with: part)
        tellLoaded()
    }

    func giveUp(_ rebuilding: RebuildTicket) {
        flow.giveUp(rebuilding)
        tellLoaded()
    }

    /// Calls `body` once the sessions of the shares are in memory, or at once if too many wait.
    func whenLoaded(_ shares: [Share], _ body: @escaping @Sendable () -> Void) {
        let isLoading = shares.reduce(false) { self.isLoading($1) || $0 }
        guard isLoading, loadWaits.add(shares, at: now, body) else { return body() }
    }

    /// Runs the callbacks that wait for sessions which are now in memory.
    func tellLoaded() {
        guard flow.hasRestored else { return }
        flow.hasRestored = false
        guard !loadWaits.isEmpty else { return }
        for body in loadWaits.takeLoaded({ isLoading($0) }) { body() }
    }
}

extension PipelineMailbox {
    /// Waits while sessions from before a restart are loaded, at most two seconds.
    package func waitUntilLoaded(_ shares: [Share]) async {
        await withTaskGroup { group in
            group.addTask {
                // Cancelled once all are loaded, or when the request is cancelled.
                try? await Task.sleep(for: .seconds(2))
            }
            group.addTask {
                let (loaded, continuation) = AsyncStream<Void>.makeStream()
                let accepted = self.postForViewer { core in
                    core.whenLoaded(shares) { continuation.finish() }
                }
                guard accepted else { return }
                for await _ in loaded {}
            }
            await group.next()
            group.cancelAll()
        }
    }
}
