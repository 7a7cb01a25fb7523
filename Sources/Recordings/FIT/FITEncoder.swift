/// One field of an outgoing message: number in the profile, type, and value without scale.
struct FITField {
    var number: UInt8
    var type: FITBaseType
    /// Value without scale; `nil` is written as the type's "invalid" value.
    var value: Double?
    /// Bytes of a text or an array, which replace ``value``.
    var array: [UInt8] = []
    /// Type byte of the definition; for a developer field, the developer's number.
    var typeByte: UInt8

    init(_ number: UInt8, _ type: FITBaseType, _ value: Double?) {
        self.number = number
        self.type = type
        self.value = value
        typeByte = type.rawValue
    }

    /// Copies a field of another writer, byte by byte.
    init(_ field: FITRemainder.Field) {
        number = field.number
        type = .byte
        array = Array(field.bytes)
        typeByte = field.typeByte
    }

    /// Returns the field as a developer field.
    func developed(by developer: UInt8) -> FITField {
        var field = self
        field.typeByte = developer
        return field
    }

    /// - Parameters:
    ///   - number: Number in the profile.
    ///   - text: Text, cut or padded to `bytes`, including a terminating zero.
    ///   - bytes: The field's size; equal for all messages of one definition.
    init(_ number: UInt8, text: String, bytes: Int) {
        self.number = number
        type = .string
        typeByte = type.rawValue
        var padded = Array(text.utf8.prefix(bytes - 1))
        padded += Array(repeating: 0, count: bytes - padded.count)
        array = padded
    }

    init(_ number: UInt8, byteArray: [UInt8]) {
        self.number = number
        type = .byte
        typeByte = type.rawValue
        array = byteArray
    }

    var bytes: Int { array.isEmpty ? type.bytes : array.count }

    /// The value as bits; a value out of the type's range becomes "invalid".
    var bits: UInt64 {
        guard let value, value.isFinite else { return type.invalid }
        switch type {
        case .float32: return UInt64(Float(value).bitPattern)
        case .float64: return value.bitPattern
        case .sint8, .sint16, .sint32, .sint64:
            guard let integer = Int64(exactly: value.rounded()) else { return type.invalid }
            let bound = Int64(1) << Int64(8 * min(type.bytes, 7) - 1)
            guard (-bound..<bound - 1).contains(integer) else { return type.invalid }
            return UInt64(bitPattern: integer)
        case .enum, .uint8, .uint8z, .byte, .uint16, .uint16z, .uint32, .uint32z, .uint64,
            .uint64z, .string:
            guard let integer = UInt64(exactly: value.rounded()), type.bytes < 8,
                integer < UInt64(1) << UInt64(8 * type.bytes)
            else { return type.invalid }
            return integer
        }
    }
}

/// Encodes messages into a FIT file, with a definition whenever the definition changes.
struct FITEncoder {
    private var data: [UInt8] = []
    /// Last definition of each local message number.
    private var definitions: [Int: [UInt8]] = [:]

    /// - Parameters:
    ///   - number: Number of the message in the profile.
    ///   - local: 0…15, one for each kind of message.
    ///   - fields: Fields of the profile, in order.
    ///   - developerFields: Fields that an earlier `field_description` described, each with its
    ///     developer.
    mutating func add(
        _ number: UInt16, local: Int, _ fields: [FITField], developerFields: [FITField] = []
    ) {
        let definition = definition(number, local, fields, developerFields)
        if definitions[local] != definition {
            definitions[local] = definition
            data += definition
        }
        data.append(UInt8(local))
        for field in fields + developerFields {
            if field.array.isEmpty {
                append(field.bits, bytes: field.bytes)
            } else {
                data += field.array
            }
        }
    }

    /// Returns the whole file: header, data and checksum.
    consuming func file() -> [UInt8] {
        let body = data
        data = []
        // Protocol 2.0 for developer fields; profile 21.95.
        data += [14, 0x20]
        append(2195, bytes: 2)
        append(UInt64(body.count), bytes: 4)
        data += Array(".FIT".utf8)
        append(UInt64(FITCheck.value(of: data)), bytes: 2)
        data += body
        append(UInt64(FITCheck.value(of: data)), bytes: 2)
        return data
    }

    private func definition(
        _ number: UInt16, _ local: Int, _ fields: [FITField], _ developerFields: [FITField]
    ) -> [UInt8] {
        var bytes: [UInt8] = [
            0x40 | UInt8(local) | (developerFields.isEmpty ? 0 : 0x20), 0, 0,
            UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8),
            UInt8(fields.count),
        ]
        for field in fields { bytes += [field.number, UInt8(field.bytes), field.typeByte] }
        guard !developerFields.isEmpty else { return bytes }
        bytes.append(UInt8(developerFields.count))
        for field in developerFields {
            bytes += [field.number, UInt8(field.bytes), field.typeByte]
        }
        return bytes
    }

    private mutating func append(_ bits: UInt64, bytes: Int) {
        for place in 0..<bytes {
            data.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place)))
        }
    }
}
