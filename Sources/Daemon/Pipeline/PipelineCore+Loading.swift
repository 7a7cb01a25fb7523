import Replay
import SensorModel
import Sessions
import Sharing

/// Who waits until sessions of before a restart are read back.
struct LoadWaits {
    private struct Wait {
        let shares: [Share]
        let since: Timestamp
        let body: @Sendable () -> Void
    }

    /// Longer than anybody waits: what is older was given up.
    private static let secondsMax = 5.0

    private var waits: [Wait] = []

    var isEmpty: Bool { waits.isEmpty }

    mutating func add(_ shares: [Share], at now: Timestamp, _ body: @escaping @Sendable () -> Void)
    {
        waits.removeAll { abs(now.seconds(since: $0.since)) > Self.secondsMax }
        waits.append(Wait(shares: shares, since: now, body: body))
    }

    /// - Parameter isLoading: Of a share.
    /// - Returns: Whose shares are all there.
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
    func resume(
        _ rebuilding: SessionRebuilding, from rebuilt: SessionRebuild, views: SessionViews
    ) {
        flow.resume(rebuilding, from: rebuilt, views: views)
        tellLoaded()
    }

    func giveUp(_ rebuilding: SessionRebuilding) {
        flow.giveUp(rebuilding)
        tellLoaded()
    }

    /// Calls `body` once what the shares show is in memory: at once where it is.
    func whenLoaded(_ shares: [Share], _ body: @escaping @Sendable () -> Void) {
        let isLoading = shares.reduce(false) { self.isLoading($1) || $0 }
        if isLoading { loadWaits.add(shares, at: now, body) } else { body() }
    }

    private func tellLoaded() {
        guard !loadWaits.isEmpty else { return }
        for body in loadWaits.takeLoaded({ isLoading($0) }) { body() }
    }
}

extension PipelineMailbox {
    /// Waits while sessions of before a restart are read back, and no longer than two seconds.
    func waitUntilLoaded(_ shares: [Share]) async {
        await withTaskGroup { group in
            group.addTask {
                // Cancelled once all are there, or with its request.
                try? await Task.sleep(for: .seconds(2))
            }
            group.addTask {
                let (loaded, continuation) = AsyncStream<Void>.makeStream()
                let accepted = self.post { core in
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
