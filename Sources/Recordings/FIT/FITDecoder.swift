/// Splits a FIT file into data messages.
///
///     file    header (12 or 14 bytes: size, versions, data size, ".FIT", CRC), records, CRC
///     record  1 header byte: definition, data, or data with a time of 5 bits
///
/// Several files may follow one another. A truncated file, or one with a wrong checksum, yields its
/// readable messages and a note.
struct FITDecoder {
    let bytes: [UInt8]
    var index = 0
    private var fileStart = 0
    private var isFile = true
    var dataEnd = 0
    /// Definitions by local message number, 0…15.
    var definitions: [Definition?] = Array(repeating: nil, count: 16)
    private var lastTime: UInt32 = 0
    /// Descriptions of developer fields, by developer and number.
    private(set) var developerFields: [DeveloperField] = []
    /// Developer fields of power meters, which each record is searched for.
    private(set) var powerFields: [DeveloperField] = []
    private(set) var problems: [String] = []

    struct DeveloperField {
        var developer: UInt8
        var number: UInt8
        var type: FITBaseType
        var name: String
    }

    private static let powerFieldsMax = 16

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Decodes messages without the header and the checksum of a file.
    init(messages bytes: [UInt8]) {
        self.bytes = bytes
        dataEnd = bytes.count
        isFile = false
    }

    static func recognizes(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 12 && bytes[8..<12].elementsEqual(Array(".FIT".utf8))
    }

    /// - Returns: The next message; `nil` after the last one.
    mutating func next() throws(RecordingError) -> FITMessage? {
        while true {
            if index >= dataEnd {
                guard try beginFile() else { return nil }
                continue
            }
            let header = bytes[index]
            index += 1
            if header & 0x80 != 0 {
                let time = time(afterOffset: header & 0x1F)
                if let message = try message(local: Int(header >> 5 & 0x03), time: time) {
                    return message
                }
                continue
            }
            if header & 0x40 != 0 {
                try define(local: Int(header & 0x0F), developer: header & 0x20 != 0)
                continue
            }
            if let message = try message(local: Int(header & 0x0F), time: nil) { return message }
        }
    }

    /// - Returns: `false` at the end of the bytes.
    private mutating func beginFile() throws(RecordingError) -> Bool {
        guard isFile else { return false }
        if dataEnd > 0 { checkFile() }
        guard index < bytes.count else { return false }
        let size = Int(bytes[index])
        guard size == 12 || size == 14, bytes.count - index >= size,
            bytes[index + 8..<index + 12].elementsEqual(Array(".FIT".utf8))
        else {
            guard dataEnd == 0 else {
                note("Bytes after the end of the FIT file were left out.")
                index = bytes.count
                return false
            }
            throw malformed("no FIT header")
        }
        fileStart = index
        let dataBytes = Int(little32(at: index + 4))
        index += size
        dataEnd = index + dataBytes
        if dataEnd > bytes.count {
            note("The FIT file ends early: \(dataEnd - bytes.count) bytes are missing.")
            dataEnd = bytes.count
        }
        definitions = Array(repeating: nil, count: 16)
        return true
    }

    private mutating func checkFile() {
        index = dataEnd
        guard bytes.count - index >= 2 else {
            index = bytes.count
            return
        }
        let stored = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
        let check = FITCheck.value(of: bytes[fileStart..<index])
        if stored != check { note("The FIT file's check sum is wrong.") }
        index += 2
    }

    /// - Returns: The message; `nil` if the end of the file truncates it, or if it has no field.
    private mutating func message(
        local: Int, time: UInt32?
    ) throws(RecordingError) -> FITMessage? {
        guard let definition = definitions[local] else {
            throw malformed("data without a definition")
        }
        guard dataEnd - index >= definition.bytes else {
            note("The last message of the FIT file is cut off.")
            index = dataEnd
            return nil
        }
        let message = FITMessage(
            number: definition.number, layout: definition.layout,
            bigEndian: definition.bigEndian, bytes: bytes[index..<index + definition.bytes],
            compressedTime: time)
        index += definition.bytes
        guard definition.bytes > 0 else {
            if let time { lastTime = time }
            return nil
        }
        if let seconds = message.integer(253) { lastTime = UInt32(truncatingIfNeeded: seconds) }
        if let time { lastTime = time }
        if message.number == FITProfile.fieldDescription { describe(message) }
        return message
    }

    private mutating func describe(_ message: FITMessage) {
        guard let developer = message.integer(0), let number = message.integer(1),
            let type = message.integer(2).flatMap({ FITBaseType(rawValue: UInt8(clamping: $0)) }),
            developerFields.count < 256
        else { return }
        let field = DeveloperField(
            developer: UInt8(clamping: developer), number: UInt8(clamping: number), type: type,
            name: message.text(3) ?? "")
        developerFields.append(field)
        if FITSensors.powerFields.contains(field.name), powerFields.count < Self.powerFieldsMax {
            powerFields.append(field)
        }
    }

    func type(ofField number: UInt8, developer: UInt8) -> FITBaseType? {
        developerFields.last { $0.developer == developer && $0.number == number }?.type
    }

    /// Time from a five-bit offset, which continues from the last full time, modulo 32.
    private func time(afterOffset offset: UInt8) -> UInt32 {
        let ahead = (UInt32(offset) &- lastTime) & 0x1F
        return lastTime &+ ahead
    }

    /// Adds a note once, even for a chain of thousands of broken files.
    private mutating func note(_ problem: String) {
        guard problems.count < 10, !problems.contains(problem) else { return }
        problems.append(problem)
    }

    private func little32(at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }

    func malformed(_ problem: String) -> RecordingError {
        .malformed(.fit, byte: index, problem: problem)
    }
}
