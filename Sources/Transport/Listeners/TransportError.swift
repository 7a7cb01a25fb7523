public import SensorModel

/// The reasons why a listener cannot open, or a server cannot continue.
public enum TransportError: Error, Hashable, Sendable {
    case cannotListen(listener: String, address: String, reason: String)
    /// The disk cannot create the file of a Unix socket.
    case diskRefusesSocket(listener: String, DiskTrouble)
    case certificateUnusable(path: String, reason: String)
    case keyUnusable(path: String, reason: String)
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotListen(let listener, let address, let reason):
            "the \(listener) listener cannot open \(address): \(reason)"
        case .diskRefusesSocket(let listener, let trouble):
            "the \(listener) listener has no socket at its place: \(trouble)"
        case .certificateUnusable(let path, let reason):
            "the certificate \(path) cannot be used: \(reason)"
        case .keyUnusable(let path, let reason):
            "the private key \(path) cannot be used: \(reason)"
        }
    }
}
