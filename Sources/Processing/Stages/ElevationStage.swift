import SensorModel

/// Computes height, climb and grade.
///
/// - In: air pressure, altitudes of fixes and of the course, meters.
/// - Out: altitude, climb, grade.
struct ElevationStage: Sendable {
    private var elevation = Elevation()
    private var grade = Grade()
    /// Time of the newest altitude or air pressure.
    private var newest: Timestamp?

    /// Altitude; `nil` while unknown.
    var altitude: Double? { elevation.altitude }

    /// Cost relative to flat ground; `nil` while the grade is unknown.
    var gradeFactor: Double? { grade.grade.map(Grade.factor) }

    /// Adds a measurement of air pressure.
    mutating func add(pressure hectopascals: Double, at time: Timestamp) {
        elevation.add(pressure: hectopascals, at: time)
        newest = time
    }

    /// - Parameters:
    ///   - location: A fix.
    ///   - courseAltitude: The course's altitude there; `nil` if it is unknown.
    ///   - time: Time of the fix.
    mutating func add(_ location: Location, courseAltitude: Double?, at time: Timestamp) {
        elevation.add(location, courseAltitude: courseAltitude, at: time)
        if location.altitude != nil { newest = time }
    }

    /// - Parameter meters: Meters of the session at the current altitude.
    mutating func follow(meters: Double) {
        guard let altitude = elevation.altitude else { return }
        grade.add(meters: meters, altitude: altitude, hasBarometer: elevation.hasBarometer)
    }

    func show(in shown: inout Metrics, at times: StageTimes) {
        shown.elevationGainMeters = elevation.gainMeters
        shown.elevationLossMeters = elevation.lossMeters
        // A slope is that of the place: without altitudes the runner may be at another one.
        guard let newest, times.shownAt.seconds(since: newest) <= TimeStage.staleSeconds else {
            return
        }
        shown.gradePercent = grade.grade.map { $0 * 100 }
    }
}
