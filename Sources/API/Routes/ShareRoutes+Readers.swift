package import Runtime
package import SensorModel
import Sharing
import Transport

/// Access to shares for readers of other services' interfaces.
extension ShareRoutes {
    /// - Parameters:
    ///   - member: Share of one device.
    ///   - link: Share by which the reader came.
    /// - Returns: The current heart rate, then each change; ends with the share.
    package func readings(of member: Share, by link: Share) -> HeartRateHub.Readings {
        pipeline.heartRates.readings(of: member, by: link, pipeline.reader)
    }

    /// Counts a reader among the share's viewers while `work` runs.
    ///
    /// - Returns: `false` when the share has its maximum of viewers; `work` did not run.
    func whileCounted(
        _ share: Share, _ work: () async throws -> Void
    ) async rethrows -> Bool {
        let isAdmitted = accounts.withState { state in
            guard state.viewers.admit(to: share) else { return false }
            state.viewersEverChanged.insert(share.key)
            return true
        }
        guard isAdmitted else { return false }
        defer { accounts.withState { $0.viewers.left(share.key) } }
        try await work()
        return true
    }
}
