package import SensorModel

/// Whose links count together where readers and viewers are limited: a device has up to 64.
package enum LinkParty: Hashable, Sendable {
    case device(DeviceID)
    /// A group's link.
    case link(ShareKey)

    package init(of share: Share) {
        self = share.device.map { .device($0) } ?? .link(share.key)
    }
}
