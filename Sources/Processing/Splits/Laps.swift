import SensorModel

/// Computes laps that the wearer's button ends.
struct Laps: Sendable {
    private var number = 0
    private var movingSeconds = 0.0
    private var meters: Double?
    private var heartRate = (beats: 0.0, seconds: 0.0)

    /// Ends a lap. All values are totals of the session so far.
    mutating func mark(
        movingSeconds: Double, meters: Double?, heartRate: (beats: Double, seconds: Double)
    ) -> Lap {
        number += 1
        let beats = heartRate.beats - self.heartRate.beats
        let seconds = heartRate.seconds - self.heartRate.seconds
        let lap = Lap(
            number: number, seconds: max(0, movingSeconds - self.movingSeconds),
            distanceMeters: meters.map { $0 - (self.meters ?? 0) },
            averageHeartRate: seconds > 0 ? beats / seconds : nil)
        self.movingSeconds = movingSeconds
        self.meters = meters
        self.heartRate = heartRate
        return lap
    }
}
