public import SensorModel

/// What a connection has proved about its peer.
public enum ConnectionProof: Hashable, Sendable {
    /// It named a share that exists.
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

/// The class that a connection has proved. Only a proof raises it, and it never falls.
public enum ConnectionClass: UInt8, Sendable, CaseIterable, Comparable {
    /// It has proved nothing yet.
    case stranger
    /// It named a share that exists.
    case viewer
    /// A device's token was accepted, in a hello or in a request of the owner.
    case device
    /// It came through the operations listener.
    case operations
    /// It came through the admin socket.
    case owner

    public static func < (left: ConnectionClass, right: ConnectionClass) -> Bool {
        left.rawValue < right.rawValue
    }
}
