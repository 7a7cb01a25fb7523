/// Encodes frames of a server: never masked, never fragmented.
enum ServerFrame {
    enum Kind: UInt8 {
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// Header and payload in one array, for one write.
    static func encode(_ kind: Kind, _ payload: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        let count = payload.count
        bytes.reserveCapacity(count + 10)
        bytes.append(0x80 | kind.rawValue)
        if count < 126 {
            bytes.append(UInt8(count))
        } else {
            let wide = count > 65_535
            bytes.append(wide ? 127 : 126)
            for shift in stride(from: wide ? 56 : 8, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// Encodes a close frame, with the reason cut to the maximum of a control frame.
    static func close(_ code: UInt16?, reason: String = "") -> [UInt8] {
        guard let code else { return encode(.close, []) }
        var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
        // Reasons are ASCII, so a cut is between characters.
        payload.append(contentsOf: reason.utf8.prefix(123))
        return encode(.close, payload)
    }
}
