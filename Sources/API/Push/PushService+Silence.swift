import SensorModel

/// The end of recordings that nothing comes for.
extension PushService {
    /// Closes recordings that have been silent for long enough; runs only while one is open.
    func startSweeping() {
        guard sweeper == nil else { return }
        sweeper = Task { [weak self, silenceSeconds] in
            while await self?.sweep() ?? false {
                do { try await Task.sleep(for: .seconds(max(1, silenceSeconds / 2))) } catch {
                    return
                }
            }
        }
    }

    /// - Returns: Whether a recording is still open.
    private func sweep() -> Bool {
        let now = clock()
        for (key, open) in queues where now.seconds(since: open.lastUse) >= silenceSeconds {
            queues[key] = nil
            close(open.queue)
        }
        if queues.isEmpty { sweeper = nil }
        return !queues.isEmpty
    }
}
