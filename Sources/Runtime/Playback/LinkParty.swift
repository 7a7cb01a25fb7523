package import SensorModel

/// Party whose links share the limits on readers and viewers; a device has up to 64 links.
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
