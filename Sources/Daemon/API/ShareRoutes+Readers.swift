import SensorModel
import Sharing
import Transport

/// What readers of other services' interfaces need of a share.
extension ShareRoutes {
    /// - Parameters:
    ///   - member: Of one device.
    ///   - link: By which the reader came.
    /// - Returns: The heart rate that is shown now, and each other than the last; ends with the share.
    func readings(of member: Share, by link: Share) -> HeartRateHub.Readings {
        pipeline.heartRates.readings(of: member, by: link, pipeline.mailbox)
    }

    /// Counts a reader among the share's viewers for as long as `work` runs.
    ///
    /// - Returns: `false` when the share has all it may have; `work` did not run.
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
