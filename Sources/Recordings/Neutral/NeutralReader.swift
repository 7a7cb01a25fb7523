import SensorModel

/// Reads a ``Recording`` from a neutral folder.
///
///     imu.csv   t_s,ax,ay,az[,gx,gy,gz]             g with gravity, rad/s
///     gps.csv   t_s,lat,lon,alt,hacc,speed,course   empty if unknown
///     hr.csv    t_s,bpm[,…]
///
/// Times are seconds from an unknown start.
struct NeutralReader {
    private var builder = RecordingBuilder(format: .neutral)
    private var batcher: MotionBatcher?

    static func read(_ files: [String: [UInt8]], _ itemsMax: Int) throws(RecordingError)
        -> Recording
    {
        var reader = NeutralReader()
        reader.builder.itemsMax = itemsMax
        if let bytes = files["hr.csv"] { reader.readHeartRates(CSVTable(bytes)) }
        if let bytes = files["gps.csv"] { reader.readPositions(CSVTable(bytes)) }
        if let bytes = files["imu.csv"] { reader.readMotion(CSVTable(bytes)) }
        reader.builder.recording.startIsKnown = false
        return try reader.merge()
    }

    /// Converts seconds since the start to microseconds since 1970; `nil` beyond 30 days.
    private static func time(_ seconds: Double) -> Int64? {
        guard seconds.magnitude < 30 * 86_400 else { return nil }
        return Recording.arbitraryStart.microseconds + Int64((seconds * 1e6).rounded())
    }

    private mutating func readHeartRates(_ table: CSVTable) {
        guard let timeColumn = table.columns.firstIndex(of: "t_s"),
            let rateColumn = table.columns.firstIndex(of: "bpm")
        else { return builder.refuse("hr.csv without the columns t_s and bpm") }
        var builder = builder
        table.forEachRow(fieldsMax: table.columns.count) { bytes, fields, count in
            guard
                let seconds = CSVTable.number(bytes, fields, count, timeColumn),
                let time = Self.time(seconds),
                let rate = CSVTable.number(bytes, fields, count, rateColumn)
            else { return builder.refuse("unreadable row of hr.csv") }
            builder.addHeartRate(rate, at: Timestamp(microseconds: time))
        }
        self.builder = builder
    }

    private mutating func readPositions(_ table: CSVTable) {
        let column = { name in table.columns.firstIndex(of: name) }
        guard let timeColumn = column("t_s"), let latitude = column("lat"),
            let longitude = column("lon")
        else { return builder.refuse("gps.csv without the columns t_s, lat and lon") }
        let (altitude, accuracy) = (column("alt"), column("hacc"))
        let (speed, course) = (column("speed"), column("course"))
        var builder = builder
        table.forEachRow(fieldsMax: table.columns.count) { bytes, fields, count in
            func number(_ column: Int?) -> Double? {
                CSVTable.number(bytes, fields, count, column)
            }
            guard let time = number(timeColumn).flatMap({ Self.time($0) }),
                let degreesNorth = number(latitude), let degreesEast = number(longitude)
            else { return builder.refuse("unreadable row of gps.csv") }
            let fix = PositionFix(
                latitude: degreesNorth, longitude: degreesEast, altitude: number(altitude),
                horizontalAccuracy: number(accuracy), speed: number(speed),
                course: number(course))
            builder.addLocation(fix, at: Timestamp(microseconds: time))
        }
        self.builder = builder
    }

    private mutating func readMotion(_ table: CSVTable) {
        guard table.columns.starts(with: ["t_s", "ax", "ay", "az"]) else {
            return builder.refuse("imu.csv without the columns t_s, ax, ay, az")
        }
        let hasRotation = table.columns.dropFirst(4).starts(with: ["gx", "gy", "gz"])
        var batcher = MotionBatcher(
            traits: hasRotation ? [.includesGravity, .hasRotation] : .includesGravity)
        // A row of a recording at 100 Hz has about 30 bytes.
        let expected = min(table.bytes.count / 30, builder.itemsMax)
        batcher.times.reserveCapacity(expected)
        batcher.samples.reserveCapacity(expected)
        var unreadable = 0
        var outOfRange = 0
        let itemsMax = builder.itemsMax
        table.forEachRow(fieldsMax: hasRotation ? 7 : 4) { bytes, fields, count in
            guard batcher.samples.count <= itemsMax else { return }
            guard let seconds = CSVTable.number(bytes, fields, count, 0),
                let time = Self.time(seconds),
                let sample = MotionSample(bytes, fields, count, from: 1, rotation: hasRotation)
            else { return unreadable += 1 }
            guard sample.isInRange else { return outOfRange += 1 }
            batcher.times.append(time)
            batcher.samples.append(sample)
        }
        if unreadable > 0 {
            builder.recording.refused.add("unreadable row of imu.csv", count: unreadable)
        }
        if outOfRange > 0 {
            builder.recording.refused.add(
                "acceleration or rotation out of range", count: outOfRange)
        }
        self.batcher = batcher
    }

    private mutating func merge() throws(RecordingError) -> Recording {
        builder.sortFrames()
        if let batcher {
            try batcher.check(builder.itemsMax, .neutral)
            builder.recording.frames = batcher.frames(among: builder.recording.frames)
        }
        return try builder.finish()
    }
}

extension MotionSample {
    /// Reads three or six numbers of a row, g and rad/s; returns `nil` if one is not a number.
    init?(
        _ bytes: Span<UInt8>, _ fields: [Range<Int>], _ count: Int, from column: Int,
        rotation: Bool
    ) {
        guard let x = CSVTable.number(bytes, fields, count, column),
            let y = CSVTable.number(bytes, fields, count, column + 1),
            let z = CSVTable.number(bytes, fields, count, column + 2)
        else { return nil }
        self.init(acceleration: SIMD3(Float(x), Float(y), Float(z)))
        guard rotation else { return }
        guard let x = CSVTable.number(bytes, fields, count, column + 3),
            let y = CSVTable.number(bytes, fields, count, column + 4),
            let z = CSVTable.number(bytes, fields, count, column + 5)
        else { return nil }
        self.rotation = SIMD3(Float(x), Float(y), Float(z))
    }

    package var isInRange: Bool {
        for axis in 0..<3 {
            guard Self.validAcceleration.contains(acceleration[axis]),
                Self.validRotation.contains(rotation[axis])
            else { return false }
        }
        return true
    }
}
