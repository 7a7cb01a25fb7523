/// A frame that its number determines completely: the bytes sent and the expected log content,
/// written from the protocol's description alone.
struct NumberedFrame {
    let number: UInt32

    /// Microseconds since 1970; 20 ms apart.
    var deviceTime: Int64 { 1_763_700_000_000_000 + Int64(number) * 20_000 }

    private enum Kind: UInt8, CaseIterable {
        case heartRate = 0x02
        case motion = 0x03
        case location = 0x04
        case marker = 0x08
    }

    private var kind: Kind { Kind.allCases[Int(number % 4)] }
    private var tenthsOfBeats: UInt16 { 600 + UInt16(number &* 7 % 1000) }
    private var latitude: Int32 { 480_000_000 + Int32(number) }
    private var altitudeCentimeters: Int32 { Int32(number % 100_000) }
    private var text: String { "note \(number)" }
    private var acceleration: Int16 { Int16(number % 8000) - 4000 }
    /// Acceleration of the text form: between two steps of the binary form.
    private var exactAcceleration: Float { Float(acceleration) / 1024 + 0.0001 }

    // MARK: - Binary

    var binary: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: UInt16(14 + payload.count))
        bytes += [kind.rawValue, 0]
        bytes.append(little: number)
        bytes.append(little: deviceTime)
        return bytes + payload
    }

    private var payload: [UInt8] {
        var bytes: [UInt8] = []
        switch kind {
        case .heartRate:
            bytes.append(little: tenthsOfBeats)
            bytes += [2, 1]
            bytes.append(little: UInt16(number % 2000))
        case .motion:
            bytes += [2, 0, 0, 0]
            bytes.append(little: UInt32(10_000))
            for axis in 0..<6 { bytes.append(little: acceleration &+ Int16(axis)) }
        case .location: bytes = locationPayload
        case .marker: bytes = Array(text.utf8)
        }
        return bytes
    }

    private var locationPayload: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: latitude)
        bytes.append(little: Int32(115_000_000))
        bytes.append(little: altitudeCentimeters)
        bytes.append(little: UInt16(50))
        bytes.append(little: UInt16.max)
        bytes.append(little: Int16(300))
        bytes.append(little: UInt16.max)
        return bytes
    }

    // MARK: - Text

    var line: String {
        let seconds = "\(deviceTime / 1_000_000).\(Self.padded(deviceTime % 1_000_000, to: 6))"
        let end = #","timestamp":\#(seconds),"seq":\#(number)}"#
        switch kind {
        case .heartRate:
            return #"{"type":"heartRate","heartRate":\#(tenthsOfBeats / 10).\#(tenthsOfBeats % 10)"#
                + end
        case .motion:
            return #"{"accelerometerX":\#(exactAcceleration),"accelerometerY":0,"accelerometerZ":0"#
                + #","gyroscopeX":0,"gyroscopeY":0,"gyroscopeZ":0"# + end
        case .location:
            let fraction = Self.padded(Int64(latitude) % 10_000_000, to: 7)
            let cents = Self.padded(Int64(altitudeCentimeters) % 100, to: 2)
            return #"{"type":"location","latitude":\#(latitude / 10_000_000).\#(fraction)"#
                + #","longitude":11.5,"altitude":\#(altitudeCentimeters / 100).\#(cents)"#
                + #","horizontalAccuracy":5,"verticalAccuracy":-1,"speed":3,"course":-1"# + end
        case .marker: return #"{"type":"marker","text":"\#(text)""# + end
        }
    }

    private static func padded(_ number: Int64, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    // MARK: - Content of the log

    /// - Parameters:
    ///   - payload: The payload as `log cat` prints it.
    ///   - form: The form in which it was sent.
    /// - Returns: Whether the log holds the sent values bit for bit.
    func isRecorded(as payload: String, sentAs form: LedgerDevice.Form) -> Bool {
        switch (form, kind) {
        case (.text, .heartRate):
            var bytes: [UInt8] = []
            bytes.append(little: tenthsOfBeats)
            return payload == (bytes + [0, 0]).hexadecimal
        case (.text, .motion):
            // Text has more digits than the wire's integers, so the log keeps floats.
            var bytes: [UInt8] = []
            bytes.append(little: exactAcceleration.bitPattern)
            return payload.contains(bytes.hexadecimal)
        default: return payload == self.payload.hexadecimal
        }
    }
}

extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    var hexadecimal: String {
        let digits = Array<Character>("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
