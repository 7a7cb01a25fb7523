import SensorModel

/// Reads the reference application's export: 8 columns, one row a sample, gravity removed.
enum MotionCSV {
    static let header = """
        Timestamp,Heart Rate (bpm),Accelerometer X (g),Accelerometer Y (g),\
        Accelerometer Z (g),Gyroscope X (rad/s),Gyroscope Y (rad/s),Gyroscope Z (rad/s)

        """

    static func recognizes(_ columns: [String]) -> Bool {
        columns.starts(with: ["timestamp", "heartrate(bpm)", "accelerometerx(g)"])
            && columns.count == 8
    }

    static func read(_ table: CSVTable, _ itemsMax: Int) throws(RecordingError) -> Recording {
        var builder = RecordingBuilder(format: .motionCSV)
        var batcher = MotionBatcher(traits: .hasRotation)
        table.forEachRow(fieldsMax: 8) { bytes, fields, count in
            guard batcher.samples.count <= itemsMax else { return }
            guard count == 8, let time = CSVTable.time(bytes, fields[0]),
                time >= .earliestDeviceTime,
                let sample = MotionSample(bytes, fields, count, from: 2, rotation: true)
            else { return builder.refuse("unreadable row") }
            guard sample.isInRange else {
                return builder.refuse("acceleration or rotation out of range")
            }
            builder.follow(time)
            batcher.times.append(time.microseconds)
            batcher.samples.append(sample)
            // An invalid heart rate drops only the heart rate, as in a text motion frame.
            let rate = CSVTable.number(bytes, fields, count, 1) ?? 0
            let valid = HeartRateSample.validBeatsPerMinute.contains(rate)
            if !valid, rate != 0 { builder.refuse("heart rate out of range") }
            batcher.heartRates.append(valid ? rate : 0)
        }
        try batcher.check(itemsMax, .motionCSV)
        builder.recording.frames = batcher.frames(among: [])
        return try builder.finish()
    }
}
