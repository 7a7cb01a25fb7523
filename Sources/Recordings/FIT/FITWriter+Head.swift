import SensorModel

/// The messages that come first: the file, and the fields of developers.
extension FITWriter {
    /// Field number of the first sensor.
    static let sensorFieldsStart = UInt8(FITOwnField.allCases.count)

    mutating func addHead() {
        let start = FITField(4, .uint32, Double(FITProfile.seconds(session.start)))
        // Type 4: activity; manufacturer 255: development, for makers without a number.
        encoder.add(
            FITProfile.fileID, local: Local.fileID,
            [
                FITField(0, .enum, 4), FITField(1, .uint16, 255), FITField(2, .uint16, 0),
                FITField(3, .uint32z, Double(UInt32(truncatingIfNeeded: session.id.low) | 1)),
                start, FITField(8, text: "pulsecast", bytes: 10),
            ])
        // The developer ID: 16 bytes of our choice.
        encoder.add(
            FITProfile.developerDataID, local: Local.developer,
            [
                FITField(1, byteArray: FITSensors.ownApplication),
                FITField(3, .uint8, Double(developer)),
            ])
        for field in FITOwnField.allCases {
            describe(field.rawValue, field.type, name: field.name, units: field.units)
        }
        for (index, column) in sensors.columns.enumerated() {
            describe(
                Self.sensorFieldsStart + UInt8(index), column.type, name: column.name,
                units: column.units)
        }
    }

    private mutating func describe(
        _ number: UInt8, _ type: FITBaseType, name: String, units: String
    ) {
        encoder.add(
            FITProfile.fieldDescription, local: Local.field,
            [
                FITField(0, .uint8, Double(developer)), FITField(1, .uint8, Double(number)),
                FITField(2, .uint8, Double(type.rawValue)), FITField(3, text: name, bytes: 80),
                FITField(8, text: units, bytes: 12),
            ])
    }
}
