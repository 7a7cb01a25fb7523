import SensorModel

extension SessionPoint {
    mutating func place(_ location: Location) {
        latitude = location.latitude
        longitude = location.longitude
        altitudeMeters = location.altitude
        horizontalAccuracyMeters = location.horizontalAccuracy
        speedMetersPerSecond = location.speed ?? speedMetersPerSecond
    }

    mutating func complete(by row: SessionPoint) {
        cadence = row.cadence
        cadenceSource = row.cadenceSource
        distanceMeters = row.distanceMeters
        speedMetersPerSecond = speedMetersPerSecond ?? row.speedMetersPerSecond
        steps = row.steps
        arrivalTime = row.arrivalTime
    }
}
