import MutatedBytes
import Glibc
import SensorModel
import Testing

@testable import Recordings

/// Neutral folders, CSV and NDJSON.
@Suite struct TableFileTests {
    private func folder(_ files: [String: String]) throws -> Recording {
        try Recording.read(
            name: "run", contents: .folder(files.mapValues { Array($0.utf8) }))
    }

    @Test func `A neutral folder is one stream in order of time`() throws {
        let recording = try folder([
            "imu.csv": "t_s,ax,ay,az\n0.00,0,0,1\n0.01,0.1,0,1\n0.02,0.2,0,1\n1.5,0,0,1\n",
            "gps.csv":
                "t_s,lat,lon,alt,hacc,speed,course\n0.015,48.1,11.5,,4,,\n2,48.2,11.5,500,,3,\n",
            "hr.csv": "t_s,bpm,quality_flags\n1,120.4,0\n1,10,3\nx,1\n",
        ])
        #expect(!recording.startIsKnown)
        #expect(recording.start == Recording.arbitraryStart)
        let kinds = recording.frames.map { frame in
            switch frame.payload {
            case .motion(let batch): "motion \(batch.samples.count)"
            case .location(let location): "location \(location.altitude ?? -1)"
            case .heartRate(let sample): "heart rate \(sample.beatsPerMinute)"
            default: "?"
            }
        }
        #expect(
            kinds == [
                "motion 2", "location -1.0", "motion 1", "heart rate 120.4", "motion 1",
                "location 500.0",
            ])
        #expect(
            recording.refused.counts == [
                "heart rate out of range": 1, "unreadable row of hr.csv": 1,
            ])
        #expect(recording.notes.isEmpty)
    }

    @Test func `Gravity is in, rotation only where there are columns for it`() throws {
        let with = try folder(["imu.csv": "t_s,ax,ay,az,gx,gy,gz\r\n0,1,2,3,4,5,6\r\n"])
        let without = try folder(["imu.csv": "t_s,ax,ay,az\n0,1,2,3"])
        guard case .motion(let six) = with.frames[0].payload,
            case .motion(let three) = without.frames[0].payload
        else { return #expect(Bool(false)) }
        #expect(six.traits == [.includesGravity, .hasRotation])
        #expect(six.samples[0].rotation == SIMD3(4, 5, 6))
        #expect(three.traits == .includesGravity)
    }

    @Test func `A folder without recordings and one without rows are refused`() {
        #expect(throws: RecordingError.folderWithoutRecordings(name: "run")) {
            try folder(["truth.json": "{}"])
        }
        #expect(throws: RecordingError.nothingToPlay(.neutral)) {
            try folder(["imu.csv": "t_s,ax,ay,az\n"])
        }
        #expect(throws: RecordingError.nothingToPlay(.neutral)) {
            try folder(["imu.csv": "1,2,3\n4,5,6\n"])
        }
    }

    @Test(arguments: [
        // Times in ms, sizes of the batches.
        ([0, 10, 20, 30], [4]), ([0, 10, 20, 130, 140], [3, 2]), ([0, 0, 0], [1, 1, 1]),
        ([0, 17, 33, 50, 67], [5]), ([980, 990, 1000, 1010], [2, 2]), ([5], [1]),
        ([30, 10, 20], [3]), ([0, 10, 25, 35], [2, 2]),
    ])
    func `A batch is what lies a millisecond from equal spacing, within one second`(
        milliseconds: [Int64], sizes: [Int]
    ) {
        var batcher = MotionBatcher(traits: [])
        for time in milliseconds {
            batcher.times.append(1_577_836_800_000_000 + time * 1000)
            batcher.samples.append(MotionSample(acceleration: .zero))
        }
        let found = batcher.frames(among: []).map { frame in
            guard case .motion(let batch) = frame.payload else { return 0 }
            return batch.samples.count
        }
        #expect(found == sizes)
    }

    @Test func `No sample moves by more than a millisecond, none is lost`() {
        var generator = SeededGenerator(seed: 5)
        var batcher = MotionBatcher(traits: [])
        var time: Int64 = 1_577_836_800_000_000
        for index in 0..<5000 {
            batcher.times.append(time)
            batcher.samples.append(MotionSample(acceleration: SIMD3(Float(index), 0, 0)))
            let jitter = Int64.random(in: -900...900, using: &generator)
            let hole = Int.random(in: 0..<200, using: &generator) == 0
            time += 10_000 + jitter + (hole ? 700_000 : 0)
        }
        let times = batcher.times
        var index = 0
        for frame in batcher.frames(among: []) {
            guard case .motion(let batch) = frame.payload else { continue }
            for (step, sample) in batch.samples.enumerated() {
                let placed =
                    frame.deviceTime.microseconds + Int64(step) * Int64(batch.intervalMicroseconds)
                #expect(sample.acceleration.x == Float(index))
                #expect(abs(placed - times[index]) <= 1100)
                index += 1
            }
        }
        #expect(index == 5000)
    }

    @Test func `The reference's eight columns are exact`() throws {
        var export = SessionExport(
            format: .motionCSV, session: try SampleRun(seconds: 1).session)
        let time = SampleRun.start.advanced(byMicroseconds: 50_000)
        let sample = MotionSample(
            acceleration: SIMD3(0.5, -0.25, 1), rotation: SIMD3(0.125, -2, 0))
        let batch = MotionBatch(
            traits: .hasRotation, intervalMicroseconds: 50_000, samples: [sample, sample],
            heartRate: 141.26)
        export.append(
            Frame(sequence: .none, deviceTime: time, payload: .motion(batch)), arrivalTime: time)
        export.finish()
        #expect(
            String(decoding: export.takeBytes(), as: UTF8.self) == """
                Timestamp,Heart Rate (bpm),Accelerometer X (g),Accelerometer Y (g),\
                Accelerometer Z (g),Gyroscope X (rad/s),Gyroscope Y (rad/s),Gyroscope Z (rad/s)
                2025-11-21T04:40:00.050Z,141.3,0.500000,-0.250000,1.000000,0.125000,-2.000000,0.000000
                2025-11-21T04:40:00.100Z,141.3,0.500000,-0.250000,1.000000,0.125000,-2.000000,0.000000

                """)
    }

    /// A wrist that turns sinusoidally, in steps of 20 ms. Each sample has acceleration with
    /// gravity and rotation; `own` is the runner's part.
    private static func swinging() -> [(sample: MotionSample, own: SIMD3<Float>)] {
        (0..<3000).map { index in
            let time = Double(index) / 50
            let angle = 0.6 * sin(2 * .pi * 0.8 * time)
            let turn = 0.6 * 2 * .pi * 0.8 * cos(2 * .pi * 0.8 * time)
            // The up direction in the sensor's axes after rotation about x.
            let up = SIMD3<Float>(0, Float(sin(angle)), Float(cos(angle)))
            let own = Float(0.8 * sin(2 * .pi * 2.7 * time)) * up
            return (
                MotionSample(acceleration: own + up, rotation: SIMD3(Float(turn), 0, 0)), own
            )
        }
    }

    @Test(arguments: [(true, 0.05), (false, 0.6)])
    func `Gravity is out of the eight columns`(hasRotation: Bool, rms: Double) throws {
        let samples = Self.swinging()
        var writer = MotionCSVWriter()
        for start in stride(from: 0, to: samples.count, by: 50) {
            let batch = MotionBatch(
                traits: hasRotation ? [.includesGravity, .hasRotation] : .includesGravity,
                intervalMicroseconds: 20_000,
                samples: samples[start..<start + 50].map(\.sample))
            let time = SampleRun.start.advanced(bySeconds: Double(start) / 50)
            writer.append(Frame(sequence: .none, deviceTime: time, payload: .motion(batch)))
        }
        let recording = try Recording.read(name: "m.csv", contents: .file(writer.takeBytes()))
        #expect(recording.motionSamples.count == samples.count)
        // The first seconds are needed to find the direction.
        var squares = 0.0
        for (found, known) in zip(recording.motionSamples, samples).dropFirst(250) {
            let error = found.acceleration - known.own
            squares += Double((error * error).sum())
        }
        let error = (squares / Double(samples.count - 250)).squareRoot()
        #expect(error < rms)
        // With gravity included, the error would be 1 g.
    }

    @Test func `Motion goes out as eight columns and comes back`() throws {
        let run = try SampleRun(seconds: 60)
        let recording = try Recording.read(
            name: "m.csv", contents: .file(run.export(.motionCSV)))
        #expect(recording.format == .motionCSV)
        let sent = run.frames.flatMap { frame -> [MotionSample] in
            guard case .motion(let batch) = frame.payload else { return [] }
            return batch.samples
        }
        #expect(recording.motionSamples == sent)
        #expect(recording.refused.isEmpty)
    }

    @Test func `Sensors have columns of their own, after all others`() throws {
        var session = try SampleRun(seconds: 2).session
        for second in 0...2 {
            var values = MeasuredValues(source: "po,d", placement: .foot)
            try values.set(.cadence, to: 170.5 + Double(second))
            try values.set(.power, to: 250)
            session.measured.append(
                RecordedSession.MeasuredMoment(
                    time: SampleRun.start.advanced(bySeconds: Double(second) + 0.4),
                    values: values))
            session.seconds[second].powerWatts = 250
        }
        session.seconds[0].cadenceSource = "po,d"
        var export = SessionExport(format: .csv, session: session)
        export.finish()
        let lines = String(decoding: export.takeBytes(), as: UTF8.self).split(separator: "\n")
        #expect(
            lines[0].hasSuffix(
                ",paused,power (W),cadence source,measured cadence (steps/min) po d foot,"
                    + "measured power (W) po d foot"))
        #expect(lines[1].hasSuffix(",250.0,po d,170.500,250.0"))
        #expect(lines[3].hasSuffix(",250.0,,172.500,250.0"))
        let recording = try Recording.read(
            name: "a.csv", contents: .file(Array(lines.joined(separator: "\n").utf8)))
        #expect(recording.deviceValues.compactMap(\.powerWatts) == [250, 250, 250])
    }

    @Test func `The CSV of seconds has a header with units and comes back`() throws {
        let run = try SampleRun(seconds: 200)
        let bytes = run.export(.csv)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(
            lines[0] == """
                time (UTC),latitude (deg),longitude (deg),altitude (m),heart rate (bpm),\
                cadence (steps/min),distance (m),speed (m/s),paused
                """)
        #expect(lines.count == 202)
        let recording = try Recording.read(name: "a.csv", contents: .file(bytes))
        let points = run.session.points
        #expect(recording.locations.map(\.latitude) == points.compactMap(\.latitude))
        #expect(recording.heartRates == points.compactMap(\.heartRate))
        #expect(recording.deviceValues.compactMap(\.cadence) == points.compactMap(\.cadence))
        #expect(
            recording.pauses == [
                RecordedPause(
                    start: run.session.pauses[0].start, end: run.session.pauses[0].end,
                    automatic: true)
            ])
        #expect(recording.actions.isEmpty)
    }

    @Test(arguments: [
        "Timestamp,Latitude,Longitude,Altitude (m),Heart Rate\n2025-11-21T04:40:00Z,48.1,11.5,500,120\n",
        "time,latitude,longitude,altitude,heart_rate,heartrate\n1763700000,48.1,11.5,500,,120\n",
        "\u{FEFF}\"Time\",\"Latitude\",\"Longitude\",Altitude,HeartRate\r\n\"1763700000000\",48.1,11.5,500,120\r\n",
    ])
    func `Points of other programs are read by the names of their columns`(text: String) throws {
        let recording = try Recording.read(name: "a.csv", contents: .file(Array(text.utf8)))
        #expect(recording.start == SampleRun.start)
        #expect(recording.heartRates == [120])
        #expect(recording.locations.map(\.altitude) == [500])
    }

    @Test func `NDJSON gives every frame back as it was`() throws {
        let run = try SampleRun(seconds: 60)
        let recording = try Recording.read(
            name: "a.ndjson", contents: .file(run.export(.ndjson)))
        #expect(recording.frames == run.frames)
        #expect(recording.laps == run.session.laps)
        #expect(recording.pauses == run.session.pauses)
        #expect(recording.name == run.session.name)
        #expect(recording.refused.isEmpty && recording.notes.isEmpty)
    }
}
