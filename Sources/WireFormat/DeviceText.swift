import Bytes
import SensorModel

/// Text from a device for people to read: valid UTF-8, short, and without characters that could
/// disturb the text around it.
enum DeviceText {
    /// - Throws: ``FrameRefusal`` for text that is too long, not UTF-8, or empty after cleaning.
    static func check(_ bytes: Span<UInt8>, bytesMax: Int) throws(FrameRefusal) {
        guard !bytes.isEmpty else { throw .emptyText }
        guard bytes.count <= bytesMax else {
            throw .value(.textTooLong(bytes: bytes.count, bytesMax: bytesMax))
        }
        guard UTF8Check.isValid(bytes) else { throw .notUTF8 }
        guard isSeen(bytes) else { throw .emptyText }
    }

    /// - Returns: The cleaned text; never longer than before.
    static func text(
        in bytes: Span<UInt8>, bytesMax: Int
    ) throws(FrameRefusal) -> String {
        try check(bytes, bytesMax: bytesMax)
        return CleanText.clean(string(bytes))
    }

    /// Whether cleaning leaves any character: a text of invisible characters counts as empty.
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
