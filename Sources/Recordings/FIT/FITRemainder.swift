import SensorModel

/// The fields of a message that its reader did not use, little-endian.
struct FITRemainder {
    struct Field {
        var number: UInt8
        /// Base type; for a developer field, the developer's number.
        var typeByte: UInt8
        var isDeveloper: Bool
        var bytes: ArraySlice<UInt8>
    }

    var number: UInt16
    var fields: [Field]

    /// - Parameters:
    ///   - message: A message.
    ///   - used: Numbers of the used fields, which are left out; the time always stays.
    ///   - ownDeveloper: Number of our own developer, whose fields are left out.
    init(
        _ message: FITMessage, without used: Set<UInt8> = [], ownDeveloper: UInt8? = nil
    ) {
        number = message.number
        fields = []
        for field in message.layout {
            if let developer = field.developer, developer == ownDeveloper { continue }
            if field.developer == nil, used.contains(field.number),
                field.number != FITProfile.timestamp
            {
                continue
            }
            guard field.bytes > 0, let bytes = message.littleEndianBytes(of: field) else {
                continue
            }
            fields.append(
                Field(
                    number: field.number, typeByte: field.typeByte,
                    isDeveloper: field.developer != nil, bytes: bytes))
        }
        if let time = message.compressedTime {
            // A definition has at most 255 ordinary fields, the time among them.
            if fields.count(where: { !$0.isDeveloper }) == 255,
                let last = fields.lastIndex(where: { !$0.isDeveloper })
            {
                fields.remove(at: last)
            }
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: time >> (8 * UInt32($0))) }
            fields.insert(
                Field(
                    number: FITProfile.timestamp, typeByte: FITBaseType.uint32.rawValue,
                    isDeveloper: false, bytes: bytes[...]), at: 0)
        }
    }

    /// Whether it holds nothing but a time.
    var isEmpty: Bool {
        fields.allSatisfy { !$0.isDeveloper && $0.number == FITProfile.timestamp }
    }

    /// The definition message for local number 0.
    var definition: [UInt8] {
        let ordinary = fields.filter { !$0.isDeveloper }
        let developer = fields.filter(\.isDeveloper)
        var bytes: [UInt8] = [
            0x40 | (developer.isEmpty ? 0 : 0x20), 0, 0, UInt8(truncatingIfNeeded: number),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(ordinary.count),
        ]
        for field in ordinary { bytes += [field.number, UInt8(field.bytes.count), field.typeByte] }
        guard !developer.isEmpty else { return bytes }
        bytes.append(UInt8(developer.count))
        for field in developer {
            bytes += [field.number, UInt8(field.bytes.count), field.typeByte]
        }
        return bytes
    }

    /// The values in the order of the definition.
    var values: [UInt8] {
        (fields.filter { !$0.isDeveloper } + fields.filter(\.isDeveloper)).flatMap(\.bytes)
    }

    /// Adds the name of each field.
    func count(in counts: inout FieldCounts) {
        for field in fields where field.number != FITProfile.timestamp || field.isDeveloper {
            counts.add(
                FITProfile.name(
                    ofField: field.number, developer: field.isDeveloper, in: number))
        }
    }
}
