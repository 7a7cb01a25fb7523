import Logging
import Registry
import Runtime
import SegmentLog
import SensorModel
import Synchronization
import Transport

extension PulsecastDaemon {
    /// Retries what a disk refused: makes room by retention, if it is configured, and restores the
    /// registry and the admin socket. The log retries on its own thread.
    ///
    /// - Returns: Whether every part works.
    func recover() async -> Bool {
        switch pipeline.log.state {
        case .writing:
            await retain()
            await repair()
        case .failed(let error): if error.trouble.endsWithRoom { await retain() }
        case .closed: return true
        }
        await recoverRegistry()
        await reopenAdminSocket()
        return !health.isDegraded && server.displaced.isEmpty
    }

    /// Stores at start what log and registry must agree on.
    func reconcileWithLog() throws(RegistryError) {
        do throws(RegistryError) { try administration.reconcileWithLog() } catch {
            // Settled once the registry can be written.
            guard case .notWritable = error else { throw error }
        }
    }

    /// Computes missing results, once the stored ones were compared with the log, and finds out
    /// what shares show.
    func beginUpkeep() {
        Task { [accounts, reader = pipeline.reader] in
            // Not part of the start, because thousands of shares take milliseconds.
            await reader.resolveInTurn(
                accounts.shares.filter { $0.device != nil && $0.revokedAt == nil })
        }
        pipeline.background.start { [self] in
            reconcileResults()
            pipeline.upkeep.begin()
        }
    }

    /// Compares results with the log, once after each start. Blocks on the registry.
    func reconcileResults() {
        guard accounts.registry.trouble == nil, !hasReconciledResults.withLock({ $0 }) else {
            return
        }
        if administration.reconcileResults() { hasReconciledResults.withLock { $0 = true } }
    }

    private func recoverRegistry() async {
        let registry = accounts.registry
        guard registry.trouble != nil else { return }
        let result = await pipeline.background.run { [pipeline, administration] in
            Result { () throws(RegistryError) in
                try registry.recover()
                try administration.reconcileWithLog()
                try pipeline.results.deleteWaiting()
            }
        }
        guard case .failure(let error) = result else { return }
        if case .notWritable = error { return }
        logger.error("the registry cannot be opened again: \(error)")
    }

    /// Reports that the admin socket is at its spare place, where the commands find it, too.
    func noteDisplaced() {
        guard let trouble = server.displaced["admin"] else { return }
        logger.warning("the admin socket is not at its place: \(trouble)")
        health.tryAgain()
    }

    private func reopenAdminSocket() async {
        guard !server.displaced.isEmpty else { return }
        _ = await server.reopen()
        guard server.displaced.isEmpty else { return }
        logger.notice("the admin socket is at its place again")
    }
}
