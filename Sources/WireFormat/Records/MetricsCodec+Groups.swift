import SensorModel

extension MetricsCodec {
    /// Suspicions about a heart rate; version 1 has only the first, as a bool.
    private enum SuspicionBit {
        static let cadenceLock: UInt8 = 1
        static let spike: UInt8 = 2
    }

    static func write(_ heartRate: HeartRateMetric, _ writer: inout RecordWriter) {
        writer.byte(heartRate.state.rawValue)
        let lock = heartRate.cadenceLockSuspected ? SuspicionBit.cadenceLock : 0
        writer.byte(lock | (heartRate.spikeSuspected ? SuspicionBit.spike : 0))
        writer.double(heartRate.beatsPerMinute)
        writer.double(heartRate.ageSeconds)
        writer.optionalDoubles([heartRate.rmssdMilliseconds])
        writer.optional(heartRate.zone) { $0.count($1) }
        writer.optional(heartRate.source) { $0.text($1) }
    }

    static func heartRate(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> HeartRateMetric {
        let state = try reader.choice(ValueState.self, bytes)
        let suspicions = try reader.byte(bytes)
        guard suspicions <= SuspicionBit.cadenceLock | SuspicionBit.spike else {
            throw .unknownValue
        }
        let beatsPerMinute = try reader.double(bytes)
        let age = try reader.double(bytes)
        let rmssd = try reader.optionalDoubles(1, bytes)
        let zone = try reader.bool(bytes) ? try reader.count(bytes) : nil
        let source = try reader.bool(bytes) ? try reader.text(bytes) : nil
        return HeartRateMetric(
            beatsPerMinute: beatsPerMinute, zone: zone, state: state, ageSeconds: age,
            source: source, rmssdMilliseconds: rmssd[0],
            cadenceLockSuspected: suspicions & SuspicionBit.cadenceLock != 0,
            spikeSuspected: suspicions & SuspicionBit.spike != 0)
    }

    static func write(_ cadence: CadenceMetric, _ writer: inout RecordWriter) {
        writer.byte(cadence.state.rawValue)
        writer.double(cadence.confidence)
        writer.optionalDoubles([cadence.stepsPerMinute, cadence.uncertainty])
    }

    static func cadence(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> CadenceMetric {
        let state = try reader.choice(ValueState.self, bytes)
        let confidence = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(2, bytes)
        return CadenceMetric(
            stepsPerMinute: numbers[0], confidence: confidence, uncertainty: numbers[1],
            state: state)
    }

    static func write(_ position: PositionMetric, _ writer: inout RecordWriter) {
        writer.byte(position.state.rawValue)
        writer.double(position.latitude)
        writer.double(position.longitude)
        writer.optionalDoubles([
            position.altitudeMeters, position.horizontalAccuracyMeters, position.courseDegrees,
        ])
    }

    static func position(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> PositionMetric {
        let state = try reader.choice(ValueState.self, bytes)
        let latitude = try reader.double(bytes)
        let longitude = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(3, bytes)
        return PositionMetric(
            latitude: latitude, longitude: longitude, altitudeMeters: numbers[0],
            horizontalAccuracyMeters: numbers[1], courseDegrees: numbers[2], state: state)
    }

    static func write(_ course: CourseProgress, _ writer: inout RecordWriter) {
        writer.bool(course.offCourse)
        writer.optionalDoubles([course.predictedSeconds])
        writer.optional(course.checkpoint) { $0.text($1) }
    }

    static func course(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> CourseProgress {
        let offCourse = try reader.bool(bytes)
        let predicted = try reader.optionalDoubles(1, bytes)
        let checkpoint = try reader.bool(bytes) ? try reader.text(bytes) : nil
        return CourseProgress(
            checkpoint: checkpoint, predictedSeconds: predicted[0], offCourse: offCourse)
    }

    static func write(_ interval: IntervalProgress, _ writer: inout RecordWriter) {
        writer.count(interval.number)
        writer.count(interval.count)
        writer.optionalDoubles([interval.secondsLeft, interval.metersLeft])
    }

    static func interval(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> IntervalProgress {
        let number = try reader.count(bytes)
        let count = try reader.count(bytes)
        let left = try reader.optionalDoubles(2, bytes)
        return IntervalProgress(
            number: number, count: count, secondsLeft: left[0], metersLeft: left[1])
    }

    /// Appends the checkpoints after the next one; the course's own fields hold the next one.
    static func write(_ later: [CheckpointAhead], _ writer: inout RecordWriter) {
        writer.count(later.count)
        for checkpoint in later {
            writer.text(checkpoint.checkpoint)
            writer.optionalDoubles([checkpoint.predictedSeconds])
        }
    }

    static func laterCheckpoints(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> [CheckpointAhead] {
        let count = try reader.itemCount(bytes, bytesEach: 2)
        guard count > 0 else { throw .unknownValue }
        var later: [CheckpointAhead] = []
        for _ in 0..<count {
            let name = try reader.text(bytes)
            let predicted = try reader.optionalDoubles(1, bytes)
            later.append(CheckpointAhead(checkpoint: name, predictedSeconds: predicted[0]))
        }
        return later
    }
}
