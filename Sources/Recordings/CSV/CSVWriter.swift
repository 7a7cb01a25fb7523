import SensorModel

/// Writes a session as CSV, one row a second; unknown values are empty. A session with sensors that
/// compute values themselves has more columns.
enum CSVWriter {
    static let header = """
        time (UTC),latitude (deg),longitude (deg),altitude (m),heart rate (bpm),\
        cadence (steps/min),distance (m),speed (m/s),paused
        """

    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var text = TextBytes(capacity: session.seconds.count * ExportFormat.csv.textBytesEach)
        var sensors = SensorColumns(session.measured)
        let hasSensors = !sensors.columns.isEmpty
        text.add(header)
        if hasSensors { text.add(",power (W),cadence source") }
        for column in sensors.columns { text.add(",\(name(of: column))") }
        text.add("\n")
        for point in session.seconds {
            text.add(point.time)
            append(point.latitude, decimals: 7, to: &text)
            append(point.longitude, decimals: 7, to: &text)
            append(point.altitudeMeters, decimals: 2, to: &text)
            append(point.heartRate, decimals: 1, to: &text)
            append(point.cadence, decimals: 1, to: &text)
            append(point.distanceMeters, decimals: 2, to: &text)
            append(point.speedMetersPerSecond, decimals: 3, to: &text)
            text.add(point.paused ? ",1" : ",0")
            if hasSensors {
                append(point.powerWatts, decimals: 1, to: &text)
                text.add("," + plain(point.cadenceSource ?? ""))
            }
            for (value, column) in zip(sensors.values(inSecondOf: point.time), sensors.columns) {
                append(value, decimals: column.quantity.decimals, to: &text)
            }
            text.add("\n")
        }
        return text.bytes
    }

    /// "measured cadence (steps/min) footpod foot"; the first word distinguishes it from our own.
    private static func name(of column: SensorColumn) -> String {
        let words = [column.source, column.placement?.name].compactMap(\.self)
        return "measured \(column.quantity.name) (\(column.units)) "
            + plain(words.joined(separator: " "))
    }

    /// Returns the text without characters that need quotes in a table.
    private static func plain(_ text: String) -> String {
        String(text.map { ",;\"".contains($0) ? " " : $0 })
    }

    private static func append(_ value: Double?, decimals: Int, to text: inout TextBytes) {
        text.add(",")
        guard let value, value.isFinite else { return }
        text.add(value, decimals: decimals)
    }
}
