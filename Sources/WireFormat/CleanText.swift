import SensorModel

/// Text of a device that people will read: valid UTF-8, short, and without characters that
/// could disturb what stands around it.
enum CleanText {
    /// - Throws: ``FrameRefusal`` for text that is empty, too long or not UTF-8.
    static func check(_ bytes: Span<UInt8>, bytesMax: Int) throws(FrameRefusal) {
        guard !bytes.isEmpty else { throw .emptyText }
        guard bytes.count <= bytesMax else {
            throw .value(.textTooLong(bytes: bytes.count, bytesMax: bytesMax))
        }
        guard UTF8Check.isValid(bytes) else { throw .notUTF8 }
    }

    /// - Returns: The text, cleaned; never longer than it was.
    static func text(
        in bytes: Span<UInt8>, bytesMax: Int
    ) throws(FrameRefusal) -> String {
        try check(bytes, bytesMax: bytesMax)
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        return cleaned(String(decoding: copy, as: UTF8.self))
    }

    /// Control characters become spaces; what changes the direction of writing, or hides, goes.
    static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: scalars.append(" ")
            // Marks, embeddings, overrides and isolates of direction; the byte order mark.
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
