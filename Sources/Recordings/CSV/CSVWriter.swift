import SensorModel

/// Writes a session as CSV, one row a second; unknown values are empty.
enum CSVWriter {
    static let header = """
        time (UTC),latitude (deg),longitude (deg),altitude (m),heart rate (bpm),\
        cadence (steps/min),distance (m),speed (m/s),paused

        """

    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var text = TextBytes()
        text.add(header)
        for point in session.seconds {
            text.add(point.time)
            append(point.latitude, decimals: 7, to: &text)
            append(point.longitude, decimals: 7, to: &text)
            append(point.altitudeMeters, decimals: 2, to: &text)
            append(point.heartRate, decimals: 1, to: &text)
            append(point.cadence, decimals: 1, to: &text)
            append(point.distanceMeters, decimals: 2, to: &text)
            append(point.speedMetersPerSecond, decimals: 3, to: &text)
            text.add(point.paused ? ",1\n" : ",0\n")
        }
        return text.bytes
    }

    private static func append(_ value: Double?, decimals: Int, to text: inout TextBytes) {
        text.add(",")
        guard let value, value.isFinite else { return }
        text.add(value, decimals: decimals)
    }
}
