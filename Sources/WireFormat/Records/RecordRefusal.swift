/// The reason why the payload of a log record cannot be read.
public enum RecordRefusal: Error, Hashable, Sendable {
    case truncated
    /// Extra bytes at the end.
    case tooLong(bytes: Int)
    case unknownVersion(UInt8)
    /// A value that its type does not have, or a bit without a meaning.
    case unknownValue
}

extension RecordRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated: "the record ends too early"
        case .tooLong(let bytes): "the record has \(bytes) bytes too many"
        case .unknownVersion(let version):
            "the record has format \(version), which this pulsecast does not read: "
                + "install the newer daemon"
        case .unknownValue: "the record has a value that has no meaning"
        }
    }
}
