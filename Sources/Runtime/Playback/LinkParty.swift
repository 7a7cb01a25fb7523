package import SensorModel

/// Whose links count together where readers and viewers are limited: a device has up to 64.
package enum LinkParty: Hashable, Sendable {
    case device(DeviceID)
    /// A group's link.
    case link(ShareKey)

    /// - Parameters:
    ///   - link: The link.
    ///   - device: Its device; `nil`: a group's, or a link that is gone.
    package init(_ link: ShareKey, of device: DeviceID?) {
        self = device.map { .device($0) } ?? .link(link)
    }
}
