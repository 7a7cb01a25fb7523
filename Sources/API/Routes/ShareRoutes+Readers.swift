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
    /// - Parameters:
    ///   - share: Link by which the reader came.
    ///   - count: Devices whose heart rates it follows.
    ///   - work: Follows them.
    /// - Returns: `false` when the share has its maximum of viewers, or too many heart rates are
    ///   followed; `work` did not run.
    func whileCounted(
        _ share: Share, following count: Int = 1, _ work: () async throws -> Void
    ) async rethrows -> Bool {
        let party = LinkParty(share.key, of: share.device)
        let now = clock()
        guard pipeline.heartRates.withPlaces({ $0.enter(count, by: party, at: now) }) else {
            return false
        }
        defer { pipeline.heartRates.withPlaces { $0.leave(count, by: party) } }
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
