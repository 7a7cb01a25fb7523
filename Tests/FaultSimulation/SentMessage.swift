/// The parts of a viewer's message that the simulation checks.
struct SentMessage {
    private(set) var type = ""
    /// Whether the message says that the session has ended.
    private(set) var isOver = false
    private(set) var elapsedSeconds: Double?
    private(set) var distanceMeters: Double?
    /// Degrees, with the digits of the message.
    private(set) var position: (latitude: Double, longitude: Double)?
    private(set) var hasHeartRate = false

    init(_ json: [UInt8]) {
        var index = 0
        var depth = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                let end = Self.end(ofStringAt: index, in: json)
                if depth == 1, end + 1 < json.count, json[end + 1] == UInt8(ascii: ":") {
                    take(json[(index + 1)..<end], json[(end + 2)...])
                }
                index = end
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
    }

    private mutating func take(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if key.elementsEqual("type".utf8) {
            type = String(decoding: value.dropFirst().prefix { $0 != 0x22 }, as: UTF8.self)
        } else if key.elementsEqual("state".utf8) {
            isOver = value.starts(with: "\"ended\"".utf8)
        } else if key.elementsEqual("elapsedSeconds".utf8) {
            elapsedSeconds = Self.number(value)
        } else if key.elementsEqual("distanceMeters".utf8) {
            distanceMeters = Self.number(value)
        } else if key.elementsEqual("heartRate".utf8) {
            hasHeartRate = value.first == UInt8(ascii: "{")
        } else if key.elementsEqual("position".utf8), value.first == UInt8(ascii: "{") {
            let body = value.prefix { $0 != UInt8(ascii: "}") }
            if let latitude = Self.number(after: "\"latitude\":", in: body),
                let longitude = Self.number(after: "\"longitude\":", in: body)
            {
                position = (latitude, longitude)
            }
        }
    }

    private static func end(ofStringAt start: Int, in json: [UInt8]) -> Int {
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, json.count)
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Double? {
        let digits = text.prefix { [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) || (48...57) ~= $0 }
        return Double(String(decoding: digits, as: UTF8.self))
    }

    private static func number(after key: StaticString, in text: ArraySlice<UInt8>) -> Double? {
        let key = Array("\(key)".utf8)
        var rest = text
        while rest.count > key.count {
            if rest.starts(with: key) { return number(rest.dropFirst(key.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
