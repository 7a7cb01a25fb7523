/// The ways in which bytes violate RFC 6455 or the reader's bounds.
enum WebSocketRefusal: Error, Hashable, Sendable {
    case reservedBits
    case unknownOpcode(UInt8)
    case notMasked
    case lengthNotMinimal
    case controlTooLong
    case controlFragmented
    case continuationOfNothing
    case messageInsideMessage
    case notUTF8
    case closePayload
    case messageTooLarge

    /// The protocol's close code for the violation.
    var closeCode: UInt16 {
        switch self {
        case .notUTF8: 1007
        case .messageTooLarge: 1009
        default: 1002
        }
    }
}
