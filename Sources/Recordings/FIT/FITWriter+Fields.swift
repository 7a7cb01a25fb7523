import SensorModel

/// The fields of a record.
extension FITWriter {
    func ownFields(of point: SessionPoint) -> [FITField] {
        // Strides of one foot, or turns of the pedals.
        let turns = point.cadence.map { $0 / 2 } ?? point.pedalCadence
        let whole = turns.map { $0.rounded(.down) }
        let altitude = point.altitudeMeters.map { ($0 + 500) * 5 }
        let speed = point.speedMetersPerSecond.map { $0 * 1000 }
        return [
            timestamp(point.time),
            FITField(0, .sint32, point.latitude.map { $0 / FITProfile.degreesPerSemicircle }),
            FITField(1, .sint32, point.longitude.map { $0 / FITProfile.degreesPerSemicircle }),
            FITField(2, .uint16, altitude), FITField(78, .uint32, altitude),
            FITField(3, .uint8, point.heartRate), FITField(4, .uint8, whole),
            FITField(53, .uint8, turns.map { ($0 - $0.rounded(.down)) * 128 }),
            FITField(5, .uint32, point.distanceMeters.map { $0 * 100 }),
            FITField(6, .uint16, speed), FITField(73, .uint32, speed),
            FITField(31, .uint8, point.horizontalAccuracyMeters),
        ]
    }

    /// The profile's fields for values that sensors computed. A field that no record has is left
    /// out of the definition.
    func measuredFields(_ computed: [Double?]) -> [FITField] {
        FITMeasuredField.withoutOwn
            .filter { field in sensors.columns.contains { $0.quantity == field.quantity } }
            .map { $0.field(best($0.quantity, of: computed)) }
    }

    /// The value of the sensor nearest to the measured thing.
    func best(_ quantity: MeasuredValues.Quantity, of computed: [Double?]) -> Double? {
        var best: (value: Double, rank: Int)?
        for (column, value) in zip(sensors.columns, computed) where column.quantity == quantity {
            let rank = quantity.rank(at: column.placement)
            if let value, rank > best?.rank ?? -1 { best = (value, rank) }
        }
        return best?.value
    }

    /// Developer fields of our own: each value with its sensor.
    func sensorFields(_ computed: [Double?]) -> [FITField] {
        zip(sensors.columns, computed).enumerated().map { index, sensor in
            FITField(Self.sensorFieldsStart + UInt8(index), sensor.0.type, sensor.1)
        }
    }

    func own(_ field: FITOwnField, of point: SessionPoint) -> FITField {
        let value: Double? =
            switch field {
            case .heartRate: point.heartRate
            case .horizontalAccuracy: point.horizontalAccuracyMeters
            case .steps: point.steps.map { Double($0) }
            case .paused: point.paused ? 1 : 0
            }
        return FITField(field.rawValue, field.type, value)
    }
}

extension SensorColumn {
    /// A type that represents each step of the quantity's grid exactly.
    var type: FITBaseType {
        switch quantity {
        case .distance, .energy: .float64
        case .stepCount: .uint32
        default: .float32
        }
    }
}

extension FITField {
    /// - Parameters:
    ///   - number: Number in the profile.
    ///   - values: Values; missing ones up to `count` are invalid.
    ///   - count: Number of values; equal for all messages of one definition.
    init(_ number: UInt8, uint16s values: [UInt16], count: Int) {
        self.init(number, .uint16, nil)
        for index in 0..<count {
            let value = index < values.count ? values[index] : .max
            array += [UInt8(value & 0xFF), UInt8(value >> 8)]
        }
    }
}
