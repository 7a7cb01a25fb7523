import Bytes

/// Messages of another program's format, as bytes that nothing here interprets. An export to that
/// format returns them.
public struct ForeignMessages: Hashable, Sendable {
    public enum Format: UInt8, CaseIterable, Sendable {
        /// Definition and data messages without header and check sum. The first of each local
        /// number is a definition, so the bytes can be read alone.
        case fit = 1

        /// The value of the field in text frames.
        public var name: String { String(describing: self) }
    }

    /// The largest payload of a frame, less the byte for the format.
    public static let bytesMax = Limits.framePayloadBytesMax - 1

    public var format: Format
    /// 1…``bytesMax`` bytes.
    public var bytes: [UInt8]

    public init(format: Format, bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }

    /// The text form: two hexadecimal digits a byte. `nil` for an unknown format, for other
    /// characters, and for a length that no frame has.
    public init?(format name: String, digits: some Collection<UInt8>) {
        guard let format = Format.allCases.first(where: { $0.name == name }),
            (2...2 * Self.bytesMax).contains(digits.count),
            let bytes = Hexadecimal.bytes(of: digits)
        else { return nil }
        self.init(format: format, bytes: bytes)
    }

    public var digits: String { Hexadecimal.text(of: bytes) }
}
