/// A device's number in the registry; its name may change, this does not.
public struct DeviceID: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static func < (left: DeviceID, right: DeviceID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One TCP or WebSocket connection of a device. A number is used once in a run of the daemon.
public struct ConnectionID: Hashable, Sendable {
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One connection of a viewer to one share. A number is used once in a run of the daemon.
public struct SubscriberID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A share's number in the registry. Not a secret: the secret is ``ShareID``.
public struct ShareKey: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static func < (left: ShareKey, right: ShareKey) -> Bool {
        left.rawValue < right.rawValue
    }
}
