public import SensorModel

/// A proof that a connection has given about its peer.
public enum ConnectionProof: Hashable, Sendable {
    /// The peer named a share that exists.
    case viewer
    /// A token of this device was accepted.
    case device(DeviceID)

    var kind: ConnectionClass {
        switch self {
        case .viewer: .viewer
        case .device: .device
        }
    }

    var device: DeviceID? {
        if case .device(let device) = self { device } else { nil }
    }
}

/// The class of a connection, which only a proof raises and which never falls.
public enum ConnectionClass: UInt8, Sendable, CaseIterable, Comparable {
    /// The connection has proved nothing yet.
    case stranger
    /// The peer named a share that exists.
    case viewer
    /// A device's token was accepted, in a hello or in a request of the owner.
    case device
    /// The connection came through the operations listener.
    case operations
    /// The connection came through the admin socket.
    case owner

    public static func < (left: ConnectionClass, right: ConnectionClass) -> Bool {
        left.rawValue < right.rawValue
    }
}
