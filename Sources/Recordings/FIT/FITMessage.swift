/// The base types of FIT: size in bytes, and the value that means "invalid".
enum FITBaseType: UInt8, CaseIterable, Sendable {
    case `enum` = 0x00
    case sint8 = 0x01
    case uint8 = 0x02
    case string = 0x07
    case uint8z = 0x0A
    case byte = 0x0D
    case sint16 = 0x83
    case uint16 = 0x84
    case sint32 = 0x85
    case uint32 = 0x86
    case float32 = 0x88
    case float64 = 0x89
    case uint16z = 0x8B
    case uint32z = 0x8C
    case sint64 = 0x8E
    case uint64 = 0x8F
    case uint64z = 0x90

    var bytes: Int {
        switch self {
        case .enum, .sint8, .uint8, .string, .uint8z, .byte: 1
        case .sint16, .uint16, .uint16z: 2
        case .sint32, .uint32, .float32, .uint32z: 4
        case .float64, .sint64, .uint64, .uint64z: 8
        }
    }

    /// The invalid value as raw bits, little-endian.
    var invalid: UInt64 {
        switch self {
        case .enum, .uint8, .byte: 0xFF
        case .sint8: 0x7F
        case .string, .uint8z, .uint16z, .uint32z, .uint64z: 0
        case .sint16: 0x7FFF
        case .uint16: 0xFFFF
        case .sint32: 0x7FFF_FFFF
        case .uint32, .float32: 0xFFFF_FFFF
        case .sint64: 0x7FFF_FFFF_FFFF_FFFF
        case .float64, .uint64: .max
        }
    }
}

/// Layout of one field from a definition message, for the data messages that follow.
struct FITFieldLayout: Sendable {
    /// Field number in the profile, or as assigned by the developer.
    var number: UInt8
    /// Number of the developer; `nil` for a field of the profile.
    var developer: UInt8?
    var bytes: Int
    /// Base type; fields of unknown types are skipped by their size.
    var type: FITBaseType?
    /// Type byte of the definition; for a developer field, the developer's number.
    var typeByte: UInt8
    /// Offset of the field in a data message, bytes.
    var start: Int
}

/// One data message with its definition; fields are decoded on access.
struct FITMessage: Sendable {
    /// Number of the message in the profile.
    var number: UInt16
    var layout: [FITFieldLayout]
    var bigEndian: Bool
    var bytes: ArraySlice<UInt8>
    /// Time from a compressed header; otherwise field 253 holds it.
    var compressedTime: UInt32?

    /// The field as a number without scale; `nil` if absent or invalid.
    func number(_ field: UInt8, developer: UInt8? = nil, at element: Int = 0) -> Double? {
        guard let place = place(field, developer: developer), let type = place.type,
            let bits = bits(place, type, at: element), bits != type.invalid
        else { return nil }
        switch type {
        case .sint8: return Double(Int8(truncatingIfNeeded: bits))
        case .sint16: return Double(Int16(truncatingIfNeeded: bits))
        case .sint32: return Double(Int32(truncatingIfNeeded: bits))
        case .sint64: return Double(Int64(truncatingIfNeeded: bits))
        case .float32: return finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case .float64: return finite(Double(bitPattern: bits))
        case .string: return nil
        case .enum, .uint8, .uint8z, .byte, .uint16, .uint16z, .uint32, .uint32z, .uint64,
            .uint64z:
            return Double(bits)
        }
    }

    /// The field as a whole number; the profile has none beyond 32 bits.
    func integer(_ field: UInt8) -> Int? {
        number(field).flatMap { UInt32(exactly: $0) }.map { Int($0) }
    }

    /// Number of values in the field.
    func count(_ field: UInt8) -> Int {
        guard let place = place(field, developer: nil), let type = place.type else { return 0 }
        return place.bytes / type.bytes
    }

    func bytes(of field: UInt8) -> ArraySlice<UInt8>? {
        guard let place = place(field, developer: nil) else { return nil }
        let start = bytes.startIndex + place.start
        return bytes[start..<start + place.bytes]
    }

    func text(_ field: UInt8) -> String? {
        guard let place = place(field, developer: nil), place.type == .string else { return nil }
        let start = bytes.startIndex + place.start
        let characters = bytes[start..<start + place.bytes].prefix { $0 != 0 }
        return characters.isEmpty ? nil : String(decoding: characters, as: UTF8.self)
    }

    /// The bytes of a field, little-endian; `nil` if it holds no valid value.
    func littleEndianBytes(of field: FITFieldLayout) -> ArraySlice<UInt8>? {
        let start = bytes.startIndex + field.start
        let raw = bytes[start..<start + field.bytes]
        // The invalid value of an unknown type is unknown.
        guard let type = field.type, type.bytes <= field.bytes else { return raw }
        let elements = field.bytes / type.bytes
        let isValid = (0..<elements).contains { bits(field, type, at: $0) != type.invalid }
        guard isValid, field.bytes % type.bytes == 0 else { return nil }
        guard bigEndian, type.bytes > 1 else { return raw }
        return (0..<elements).flatMap { element in
            raw[start + element * type.bytes..<start + (element + 1) * type.bytes].reversed()
        }[...]
    }

    private func finite(_ value: Double) -> Double? {
        value.isFinite ? value : nil
    }

    private func place(_ field: UInt8, developer: UInt8?) -> FITFieldLayout? {
        layout.first { $0.number == field && $0.developer == developer }
    }

    private func bits(_ place: FITFieldLayout, _ type: FITBaseType, at element: Int) -> UInt64? {
        guard (element + 1) * type.bytes <= place.bytes else { return nil }
        let start = bytes.startIndex + place.start + element * type.bytes
        var bits: UInt64 = 0
        for index in 0..<type.bytes {
            let place = bigEndian ? index : type.bytes - 1 - index
            bits = bits << 8 | UInt64(bytes[start + place])
        }
        return bits
    }
}
