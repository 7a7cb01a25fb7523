/// What a connection has proved to be; only a proof raises it, and it never falls.
public enum ConnectionClass: UInt8, Sendable, CaseIterable, Comparable {
    /// It has proved nothing yet.
    case stranger
    /// It named a share that exists.
    case viewer
    /// A token of a device was accepted: in its hello, or in a request of its owner's.
    case device
    /// It came to the operations listener.
    case operations
    /// It came over the admin socket.
    case owner

    public static func < (left: ConnectionClass, right: ConnectionClass) -> Bool {
        left.rawValue < right.rawValue
    }
}
