import SensorModel

extension MetricsCodec {
    /// Appends the newest values of sensors.
    ///
    /// ```
    /// count sensors, for each: u8 state, age, bool and text: source, u8 placement (0: unknown),
    ///     count values, for each: u8 quantity, i32 in steps of its grid
    ///     count quantities that replace the daemon's own, for each: u8 quantity
    /// ```
    static func write(_ measured: [MeasuredMetric], _ writer: inout RecordWriter) {
        writer.count(measured.count)
        for metric in measured {
            writer.byte(metric.state.rawValue)
            writer.double(metric.ageSeconds)
            writer.optional(metric.values.source) { $0.text($1) }
            writer.byte(metric.values.placement?.rawValue ?? 0)
            writer.count(metric.values.gridValues.count)
            for quantity in metric.values.quantities {
                writer.byte(quantity.rawValue)
                writer.integer(metric.values.gridValues[quantity] ?? 0)
            }
            writer.count(metric.standsIn.count)
            for quantity in metric.standsIn { writer.byte(quantity.rawValue) }
        }
    }

    static func measured(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> [MeasuredMetric] {
        let count = try reader.itemCount(bytes, bytesEach: 6)
        guard count > 0 else { throw .unknownValue }
        var measured: [MeasuredMetric] = []
        for _ in 0..<count { measured.append(try measuredMetric(&reader, bytes)) }
        return measured
    }

    private static func measuredMetric(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> MeasuredMetric {
        let state = try reader.choice(ValueState.self, bytes)
        let age = try reader.double(bytes)
        var values = MeasuredValues()
        values.source = try reader.bool(bytes) ? try reader.text(bytes) : nil
        let placement = try reader.byte(bytes)
        if placement != 0 {
            values.placement = MeasuredValues.Placement(rawValue: placement)
            guard values.placement != nil else { throw .unknownValue }
        }
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: 5)) {
            let quantity = try reader.choice(MeasuredValues.Quantity.self, bytes)
            let grid = Int32(bitPattern: try reader.uint32(bytes))
            do { try values.set(quantity, grid: grid) } catch { throw .unknownValue }
        }
        var standsIn: [MeasuredValues.Quantity] = []
        for _ in 0..<(try reader.itemCount(bytes, bytesEach: 1)) {
            standsIn.append(try reader.choice(MeasuredValues.Quantity.self, bytes))
        }
        return MeasuredMetric(
            values: values, state: state, ageSeconds: age, standsIn: standsIn)
    }
}
