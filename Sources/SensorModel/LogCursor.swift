/// The number of a record in the log, from 0.
public struct RecordOffset: Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func < (left: RecordOffset, right: RecordOffset) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A reader's position in the log: `e<epoch>-<offset>`.
///
/// The epoch identifies the log's history and changes when history is lost. A reader can thus tell
/// missed records from deleted ones.
public struct LogCursor: Hashable, Comparable, Sendable {
    public let epoch: UInt32
    public let offset: RecordOffset

    public init(epoch: UInt32, offset: RecordOffset) {
        self.epoch = epoch
        self.offset = offset
    }

    /// No log has this offset or a later one: sums with offsets below it cannot overflow.
    public static let offsetEnd: UInt64 = 1 << 60

    /// Returns `nil` unless `text` has the form that ``description`` prints. Every offset that no
    /// log has becomes ``offsetEnd``.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.first == UInt8(ascii: "e") else { return nil }
        let parts = text.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            let epoch = UInt32(parts[0]), let offset = UInt64(parts[1])
        else { return nil }
        self.init(epoch: epoch, offset: RecordOffset(rawValue: min(offset, Self.offsetEnd)))
    }

    public static func < (left: LogCursor, right: LogCursor) -> Bool {
        (left.epoch, left.offset) < (right.epoch, right.offset)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension LogCursor: CustomStringConvertible {
    public var description: String { "e\(epoch)-\(offset.rawValue)" }
}
