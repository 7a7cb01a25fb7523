public import SensorModel

extension RecordedSession {
    /// The session that a recording is, with a point for each moment at which something is known:
    /// a file turned into another format without a daemon between.
    public init(_ recording: Recording, id: SessionID, device: String) {
        let end = recording.frames.last?.deviceTime ?? recording.start
        self.init(
            id: id, device: device, name: recording.name,
            sport: recording.sport ?? "running", start: recording.start, end: end,
            points: Self.points(of: recording), laps: recording.laps,
            pauses: recording.pauses.filter { $0.start < end }, totals: recording.totals)
    }

    private static func points(of recording: Recording) -> [SessionPoint] {
        var points: [SessionPoint] = []
        // A watch may write two records in a second: a value known already begins another point.
        func point(at time: Timestamp, without value: (SessionPoint) -> Double?) -> Int {
            if let last = points.last, last.time == time, value(last) == nil {
                return points.count - 1
            }
            points.append(SessionPoint(time: time))
            return points.count - 1
        }
        for frame in recording.frames {
            switch frame.payload {
            case .location(let location):
                points[point(at: frame.deviceTime, without: \.latitude)].set(location)
            case .heartRate(let sample):
                let index = point(at: frame.deviceTime, without: \.heartRate)
                points[index].heartRate = sample.beatsPerMinute
            case .motion, .control, .pressure, .status, .marker, .source:
                break
            }
        }
        var index = 0
        for values in recording.deviceValues {
            while index < points.count, points[index].time < values.time { index += 1 }
            guard index < points.count, points[index].time == values.time else { continue }
            points[index].cadence = values.cadence
            points[index].distanceMeters = values.distanceMeters
            points[index].speedMetersPerSecond =
                values.speedMetersPerSecond ?? points[index].speedMetersPerSecond
            index += 1
        }
        return points
    }
}

extension SessionPoint {
    fileprivate mutating func set(_ location: Location) {
        latitude = location.latitude
        longitude = location.longitude
        altitudeMeters = location.altitude
        horizontalAccuracyMeters = location.horizontalAccuracy
        speedMetersPerSecond = location.speed
    }
}
