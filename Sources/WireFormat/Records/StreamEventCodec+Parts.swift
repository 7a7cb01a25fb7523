import SensorModel

extension StreamEventCodec {
    static func time(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Timestamp {
        Timestamp(microseconds: try reader.int64(bytes))
    }

    static func write(_ split: Split, _ writer: inout RecordWriter) {
        writer.byte(split.unit.rawValue)
        writer.count(split.number)
        writer.double(split.seconds)
        writer.optionalDoubles([split.averageHeartRate, split.elevationMeters])
    }

    static func split(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Split {
        let unit = try reader.choice(Split.Unit.self, bytes)
        let number = try reader.count(bytes)
        let seconds = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(2, bytes)
        return Split(
            unit: unit, number: number, seconds: seconds, averageHeartRate: numbers[0],
            elevationMeters: numbers[1])
    }

    static func lap(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Lap {
        let number = try reader.count(bytes)
        let seconds = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(2, bytes)
        return Lap(
            number: number, seconds: seconds, distanceMeters: numbers[0],
            averageHeartRate: numbers[1])
    }

    static func write(_ alert: Alert, _ writer: inout RecordWriter) {
        writer.byte(alert.kind.rawValue)
        writer.byte(alert.severity.rawValue)
        writer.byte(alert.phase.rawValue)
        writer.optional(alert.cancelBefore) { $0.integer($1.microseconds) }
        writer.optional(alert.advice) { $0.text($1) }
    }

    static func alert(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Alert {
        let kind = try reader.choice(AlertKind.self, bytes)
        let severity = try reader.choice(Alert.Severity.self, bytes)
        let phase = try reader.choice(Alert.Phase.self, bytes)
        let cancelBefore = try reader.bool(bytes) ? try time(&reader, bytes) : nil
        let advice = try reader.bool(bytes) ? try reader.text(bytes) : nil
        return Alert(
            kind: kind, severity: severity, phase: phase, cancelBefore: cancelBefore,
            advice: advice)
    }

    static func write(_ start: IntervalStart, _ writer: inout RecordWriter) {
        writer.count(start.number)
        writer.count(start.count)
        write(start.goal, &writer)
        writer.integer(start.since.microseconds)
    }

    static func intervalStart(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> IntervalStart {
        IntervalStart(
            number: try reader.count(bytes), count: try reader.count(bytes),
            goal: try phase(&reader, bytes), since: try time(&reader, bytes))
    }

    static func write(_ interval: Interval, _ writer: inout RecordWriter) {
        writer.count(interval.number)
        writer.count(interval.count)
        write(interval.goal, &writer)
        writer.integer(interval.start.microseconds)
        writer.integer(interval.end.microseconds)
        writer.double(interval.seconds)
        writer.optionalDoubles([
            interval.distanceMeters, interval.averageHeartRate, interval.maxHeartRate,
        ])
    }

    static func interval(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Interval {
        let number = try reader.count(bytes)
        let count = try reader.count(bytes)
        let goal = try phase(&reader, bytes)
        let start = try time(&reader, bytes)
        let end = try time(&reader, bytes)
        let seconds = try reader.double(bytes)
        let numbers = try reader.optionalDoubles(3, bytes)
        return Interval(
            number: number, count: count, goal: goal, start: start, end: end, seconds: seconds,
            distanceMeters: numbers[0], averageHeartRate: numbers[1], maxHeartRate: numbers[2])
    }

    /// Appends u8 0 (seconds) or 1 (meters), and a double.
    static func write(_ phase: IntervalPlan.Phase, _ writer: inout RecordWriter) {
        switch phase {
        case .seconds(let seconds):
            writer.byte(0)
            writer.double(seconds)
        case .meters(let meters):
            writer.byte(1)
            writer.double(meters)
        }
    }

    static func phase(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> IntervalPlan.Phase {
        switch try reader.byte(bytes) {
        case 0: return .seconds(try reader.double(bytes))
        case 1: return .meters(try reader.double(bytes))
        default: throw .unknownValue
        }
    }

    static func write(_ reached: CheckpointReached, _ writer: inout RecordWriter) {
        writer.text(reached.checkpoint)
        writer.double(reached.elapsedSeconds)
        writer.optionalDoubles([reached.distanceMeters])
    }

    static func checkpointReached(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> CheckpointReached {
        let checkpoint = try reader.text(bytes)
        let elapsed = try reader.double(bytes)
        let distance = try reader.optionalDoubles(1, bytes)
        return CheckpointReached(
            checkpoint: checkpoint, elapsedSeconds: elapsed, distanceMeters: distance[0])
    }
}
