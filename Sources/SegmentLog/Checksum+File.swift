import Bytes

/// Small files that end with a checksum of everything before it.
extension Checksum {
    /// Bytes of the checksum at the end.
    static let fileBytes = 4

    /// Appends the checksum of all bytes.
    static func seal(_ bytes: inout [UInt8]) {
        bytes.appendLittleEndian(of(bytes.span))
    }

    /// - Returns: Number of bytes before the checksum; `nil` for a file that was not completely
    ///   written, or was altered.
    static func sealedBytes(of bytes: [UInt8]) -> Int? {
        let end = bytes.count - fileBytes
        guard end >= 0,
            of(bytes.span.extracting(0..<end))
                == LittleEndian.load(UInt32.self, from: bytes.span, at: end)
        else { return nil }
        return end
    }
}
