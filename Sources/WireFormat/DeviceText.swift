import SensorModel

/// Text of a device that people will read: valid UTF-8, short, and without characters that
/// could disturb what stands around it.
enum DeviceText {
    /// - Throws: ``FrameRefusal`` for text that is too long, not UTF-8, or empty once it is cleaned.
    static func check(_ bytes: Span<UInt8>, bytesMax: Int) throws(FrameRefusal) {
        guard !bytes.isEmpty else { throw .emptyText }
        guard bytes.count <= bytesMax else {
            throw .value(.textTooLong(bytes: bytes.count, bytesMax: bytesMax))
        }
        guard UTF8Check.isValid(bytes) else { throw .notUTF8 }
        guard isSeen(bytes) else { throw .emptyText }
    }

    /// - Returns: The text, cleaned; never longer than it was.
    static func text(
        in bytes: Span<UInt8>, bytesMax: Int
    ) throws(FrameRefusal) -> String {
        try check(bytes, bytesMax: bytesMax)
        return CleanText.clean(string(bytes))
    }

    /// Whether cleaning leaves anything: a text of unseen characters is none.
    private static func isSeen(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where (0x20...0x7E).contains(bytes[index]) { return true }
        return string(bytes).unicodeScalars.contains { CleanText.clean($0) != nil }
    }

    private static func string(_ bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        return String(decoding: copy, as: UTF8.self)
    }
}
