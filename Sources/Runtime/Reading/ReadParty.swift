package import SensorModel
package import Sharing

/// Party on whose behalf the log is read.
package enum ReadParty: Hashable, Sendable {
    case share(ShareKey)
    case device(DeviceID)
    /// A user of the admin socket.
    case administrator
    /// The daemon itself, which computes results in advance.
    case upkeep
}

/// Requester within a party; each has its own turns.
package enum ReadRequester: Hashable, Sendable {
    case address(AddressKey)
    case viewer(SubscriberID)
    case owner
}

/// Reason for which a read was refused.
package enum ReadRefusal: Error, Hashable, Sendable {
    /// One reader has too many requests at once.
    case tooMany
    /// There are too many requests at once.
    case busy
    /// The answer takes more memory than one reader may ever have.
    case tooLong
    /// The reader is gone, or has sent another request.
    case cancelled
}
