import SensorModel

/// Finds out which sensor computed the values of a FIT file's records.
struct FITSensors {
    /// Values of one record that sensors computed.
    struct Computed {
        /// Values of the device that made the file.
        var values = MeasuredValues()
        /// Cadence of that device, in the unit of the file.
        var cadence: Double?
        /// Values of sensors with names of their own.
        var others: [MeasuredValues] = []
    }

    /// The application ID of our own writer's developer.
    static let ownApplication = Array("pulsecast-fields".utf8)
    /// Developer fields of power meters, in watts. (Their references to native fields are not
    /// reliable: one names the percentage of ground contact for its milliseconds.)
    static let powerFields: Set<String> = ["Power", "RP_Power"]

    /// Name of the device that made the file.
    private(set) var creator: String?
    /// Number of our own writer's developer.
    private(set) var ownDeveloper: UInt8?
    private var ownFields: [(number: UInt8, field: SensorColumn)] = []

    mutating func takeFileID(_ message: FITMessage) {
        guard creator == nil else { return }
        let maker = message.integer(1).map { FITProfile.manufacturers[$0] ?? "maker \($0)" }
        creator =
            message.text(8)
            ?? maker.map { maker in message.integer(2).map { "\(maker) \($0)" } ?? maker }
    }

    /// - Returns: Whether this describes our own writer as a developer, or its fields.
    mutating func takeOwn(_ message: FITMessage) -> Bool {
        if message.number == FITProfile.developerDataID {
            guard message.bytes(of: 1)?.elementsEqual(Self.ownApplication) == true,
                let developer = message.integer(3)
            else { return false }
            ownDeveloper = UInt8(clamping: developer)
            return true
        }
        guard let ownDeveloper, message.integer(0) == Int(ownDeveloper) else { return false }
        if let number = message.integer(1),
            let field = message.text(3).flatMap(SensorColumn.init(name:))
        {
            // A file may describe a field repeatedly; the last description applies.
            let number = UInt8(clamping: number)
            ownFields.removeAll { $0.number == number }
            ownFields.append((number, field))
        }
        return true
    }

    /// A developer field of our own writer, for values that FIT stores too coarsely.
    func own(_ field: FITOwnField, of message: FITMessage) -> Double? {
        guard let ownDeveloper else { return nil }
        return message.number(field.rawValue, developer: ownDeveloper)
    }

    /// - Parameters:
    ///   - message: A record.
    ///   - decoder: The decoder, which knows the developer fields.
    ///   - used: Receives the numbers of the fields that were read.
    /// - Returns: The sensors' values in the record.
    func values(
        of message: FITMessage, _ decoder: FITDecoder, used: inout Set<UInt8>
    ) -> Computed {
        var computed = Computed()
        for field in FITMeasuredField.all {
            guard let value = field.value(in: message) else { continue }
            if !isOwn(field.quantity) {
                // A value out of range stays among the unused fields.
                do { try computed.values.set(field.quantity, to: value) } catch { continue }
            }
            used.insert(field.number)
            if let enhanced = field.enhanced { used.insert(enhanced) }
        }
        if let cadence = message.number(FITMeasuredField.cadence) {
            used.formUnion([FITMeasuredField.cadence, FITMeasuredField.fractionalCadence])
            if !isOwn(.cadence), !isOwn(.pedalCadence) {
                let fraction = message.number(FITMeasuredField.fractionalCadence) ?? 0
                computed.cadence = cadence + fraction / 128
            }
        }
        computed.others = ownSensors(of: message)
        if !isOwn(.power) { computed.others += meters(of: message, decoder) }
        return computed
    }

    /// Returns whether our own writer names the sensor that measured the quantity. The field of the
    /// profile then holds the shown value.
    private func isOwn(_ quantity: MeasuredValues.Quantity) -> Bool {
        ownFields.contains { $0.field.quantity == quantity }
    }

    private func ownSensors(of message: FITMessage) -> [MeasuredValues] {
        var sensors: [MeasuredValues] = []
        for (number, field) in ownFields {
            guard let value = message.number(number, developer: ownDeveloper) else { continue }
            let known = sensors.firstIndex {
                $0.source == field.source && $0.placement == field.placement
            }
            let index = known ?? sensors.count
            if known == nil {
                sensors.append(MeasuredValues(source: field.source, placement: field.placement))
            }
            // A file of our own has no value out of range.
            try? sensors[index].set(field.quantity, to: value)
        }
        return sensors.filter { !$0.isEmpty }
    }

    /// Values of power meters that write developer fields: each field is a sensor with its name.
    private func meters(of message: FITMessage, _ decoder: FITDecoder) -> [MeasuredValues] {
        decoder.powerFields.compactMap { described in
            guard let watts = message.number(described.number, developer: described.developer)
            else { return nil }
            var values = MeasuredValues(source: described.name)
            return (try? values.set(.power, to: watts)).map { values }
        }
    }
}
