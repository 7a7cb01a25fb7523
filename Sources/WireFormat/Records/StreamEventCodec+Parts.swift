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
}
