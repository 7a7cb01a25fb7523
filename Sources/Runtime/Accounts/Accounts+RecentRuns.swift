import SensorModel

/// The last runs of each device, for the finish estimate of its next session. They are kept in
/// memory, because a session begins on the pipeline's thread.
extension Accounts {
    /// Whether the device's last runs are known, even if there are none.
    func hasRecentRuns(of device: DeviceID) -> Bool {
        withState { $0.recentRuns[device] != nil }
    }

    /// Keeps a device's last runs for sessions that begin from now on. Runs of a deleted device are
    /// not kept.
    func noteRecentRuns(_ runs: [RecentRun], of device: DeviceID) {
        withState { state in
            guard state.devices[device] != nil else { return }
            state.recentRuns[device] = runs
        }
    }
}
