/// Why the payload of a log record cannot be read.
public enum RecordRefusal: Error, Hashable, Sendable {
    case truncated
    /// Bytes are left over.
    case tooLong(bytes: Int)
    case unknownVersion(UInt8)
    /// A value that its type does not have, or a bit with no meaning.
    case unknownValue
}
