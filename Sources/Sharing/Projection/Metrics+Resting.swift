import SensorModel

extension Metrics {
    /// The metrics of a hidden runner: totals and calls for help.
    func resting(as state: ValueState) -> Metrics {
        var resting = Metrics()
        resting.state = state
        resting.elapsedSeconds = elapsedSeconds
        resting.movingSeconds = movingSeconds
        resting.pausedSeconds = pausedSeconds
        resting.steps = steps
        resting.distanceMeters = distanceMeters
        resting.distanceUncertaintyMeters = distanceUncertaintyMeters
        resting.elevationGainMeters = elevationGainMeters
        resting.elevationLossMeters = elevationLossMeters
        resting.zoneSeconds = zoneSeconds
        resting.averageHeartRate = averageHeartRate
        resting.maxHeartRate = maxHeartRate
        resting.averageCadence = averageCadence
        resting.trainingLoad = trainingLoad
        resting.caloriesKcal = caloriesKcal
        resting.effortKm = effortKm
        resting.activeAlerts = activeAlerts.filter(\.isCallForHelp)
        return resting
    }
}
