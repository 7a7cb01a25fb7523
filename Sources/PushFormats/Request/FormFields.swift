import Bytes
import Recordings
import SensorModel

/// Fields of a query or a form.
struct FormFields {
    private static let fieldsMax = 256

    private var fields: [(name: String, value: String)] = []

    /// Reads the fields of the query, then those of a form in the body.
    init(_ request: PushRequest) {
        add(Array(request.query.utf8))
        if !request.body.isEmpty, !request.isJSON { add(request.body) }
    }

    var isEmpty: Bool { fields.isEmpty }

    /// First non-empty field with one of these lower-case names; the request's case is ignored.
    subscript(names: String...) -> String? {
        for name in names {
            let field = fields.first { $0.name == name && !$0.value.isEmpty }
            if let field { return field.value }
        }
        return nil
    }

    /// The first number under these names; trailing text, such as a unit, is ignored.
    func number(_ names: String...) -> Double? {
        for name in names {
            guard let field = fields.first(where: { $0.name == name && !$0.value.isEmpty })
            else { continue }
            if let value = NumberText.double(field.value) { return value }
        }
        return nil
    }

    private mutating func add(_ bytes: [UInt8]) {
        for pair in bytes.split(separator: UInt8(ascii: "&")).prefix(Self.fieldsMax) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = Self.decoded(pair[..<equals]).lowercased()
            let value = equals < pair.endIndex ? Self.decoded(pair[(equals + 1)...]) : ""
            fields.append((name, value))
        }
    }

    /// Decodes percent escapes. A percent sign without two hexadecimal digits is kept.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                result.append(0x20)
            } else if byte == UInt8(ascii: "%"), bytes.endIndex - index >= 2,
                let high = Character(UnicodeScalar(bytes[index])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue
            {
                result.append(UInt8(high << 4 | low))
                index += 2
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension PushRequest {
    /// Whether the body is JSON, by the header or by the first character.
    var isJSON: Bool {
        if let contentType, contentType.lowercased().contains("json") { return true }
        let first = body.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

extension Timestamp {
    /// Accepts seconds below 2^31, milliseconds above, ISO 8601, or `yyyy-MM-dd HH:mm:ss`.
    init?(pushed text: String) {
        if let time = Timestamp(looseISO8601: text) {
            self = time
            return
        }
        guard let number = NumberText.double(text) else { return nil }
        self.init(secondsOrMilliseconds: number)
    }

    /// Accepts a JSON number, or a text that the other initializer accepts.
    init?(pushed value: JSONValue?) {
        guard let value else { return nil }
        if let number = value.double {
            self.init(secondsOrMilliseconds: number)
        } else if let text = value.string {
            self.init(pushed: text)
        } else {
            return nil
        }
    }
}
