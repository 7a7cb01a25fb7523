import SensorModel

extension SessionPoint {
    /// Merges two points of the same second into one record. Returns `nil` if both have the same
    /// kind of value, so that both must be written.
    func completed(by later: SessionPoint) -> SessionPoint? {
        guard time.wholeSecond == later.time.wholeSecond,
            latitude == nil || later.latitude == nil, heartRate == nil || later.heartRate == nil
        else { return nil }
        var point = self
        if point.latitude == nil {
            (point.latitude, point.longitude) = (later.latitude, later.longitude)
            point.horizontalAccuracyMeters = later.horizontalAccuracyMeters
        }
        point.altitudeMeters = point.altitudeMeters ?? later.altitudeMeters
        point.heartRate = point.heartRate ?? later.heartRate
        point.cadence = point.cadence ?? later.cadence
        point.distanceMeters = point.distanceMeters ?? later.distanceMeters
        point.speedMetersPerSecond = point.speedMetersPerSecond ?? later.speedMetersPerSecond
        point.steps = point.steps ?? later.steps
        point.pedalCadence = point.pedalCadence ?? later.pedalCadence
        return point
    }
}
