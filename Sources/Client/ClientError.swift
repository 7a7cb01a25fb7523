/// Why a client cannot continue.
public enum ClientError: Error, Hashable, Sendable {
    case badAddress(String)
    case cannotConnect(address: String, reason: String)
    /// The server answered an upgrade with this status.
    case upgradeRefused(status: Int)
    case connectionLost
    /// The server closed a WebSocket with this code.
    case closed(code: UInt16)
    case answerTooLarge(bytesMax: Int)
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badAddress(let text): "\(text) is not an address of the expected form"
        case .cannotConnect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .upgradeRefused(let status): "the server refused with HTTP status \(status)"
        case .connectionLost: "the connection was lost"
        case .closed(let code): "the server closed the connection with code \(code)"
        case .answerTooLarge(let bytesMax): "the answer is longer than \(bytesMax) bytes"
        }
    }
}
