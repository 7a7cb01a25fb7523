/// Definitions of messages.
extension FITDecoder {
    struct Definition {
        var number: UInt16
        var bigEndian: Bool
        var layout: [FITFieldLayout]
        var bytes: Int
    }

    mutating func define(local: Int, developer: Bool) throws(RecordingError) {
        guard dataEnd - index >= 5 else { throw malformed("an unfinished definition") }
        let bigEndian = bytes[index + 1] == 1
        let high = Int(bytes[index + (bigEndian ? 2 : 3)])
        let low = Int(bytes[index + (bigEndian ? 3 : 2)])
        var definition = Definition(
            number: UInt16(high << 8 | low), bigEndian: bigEndian, layout: [], bytes: 0)
        let fields = Int(bytes[index + 4])
        index += 5
        try addFields(fields, developer: false, to: &definition)
        if developer {
            guard index < dataEnd else { throw malformed("an unfinished definition") }
            let fields = Int(bytes[index])
            index += 1
            try addFields(fields, developer: true, to: &definition)
        }
        definitions[local] = definition
    }

    private mutating func addFields(
        _ count: Int, developer: Bool, to definition: inout Definition
    ) throws(RecordingError) {
        guard dataEnd - index >= 3 * count else { throw malformed("an unfinished definition") }
        for _ in 0..<count {
            let size = Int(bytes[index + 1])
            let (number, third) = (bytes[index], bytes[index + 2])
            index += 3
            // Skips empty fields: a message of one byte must not have hundreds of fields.
            guard size > 0 else { continue }
            definition.layout.append(
                FITFieldLayout(
                    number: number, developer: developer ? third : nil, bytes: size,
                    type: developer
                        ? type(ofField: number, developer: third) : FITBaseType(rawValue: third),
                    typeByte: third, start: definition.bytes))
            definition.bytes += size
        }
    }
}
