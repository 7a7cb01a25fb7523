/// The part of DER that is needed to write a certificate.
enum DER {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if content.count < 128 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        element(0x30, parts.flatMap { $0 })
    }

    /// Encodes a non-negative number from its big-endian `bytes`.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let significant = Array(bytes.drop { $0 == 0 })
        let needsZero = significant.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (needsZero ? [0] : []) + significant)
    }

    /// Wraps `content`, which is already encoded.
    static func identifier(_ content: [UInt8]) -> [UInt8] { element(0x06, content) }

    static func octets(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }

    static func bits(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

    static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
}
