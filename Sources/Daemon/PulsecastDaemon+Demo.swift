import API
import Registry
import Runtime
import SensorModel

/// A device and a share made for a demonstration.
public struct DemoRunner: Sendable {
    public let token: String
    public let url: String
    public let devicePort: Int
}

extension PulsecastDaemon {
    /// Whether a device was ever added; revoked ones count.
    public var hasDevices: Bool { !accounts.devices.isEmpty }

    /// Makes a link to the administration page, good once, for whoever started the daemon.
    ///
    /// - Returns: The link, which is secret; `nil`: the page can be reached neither from this
    ///   machine nor through a proxy.
    public func makeAdminLink() -> String? {
        adminPage.makeLink(opening: .seconds(3600))
    }

    /// Adds a device and a link to it, so that a demonstration needs no commands.
    ///
    /// - Returns: The data that a simulated device and a viewer need.
    /// - Throws: Errors of the registry.
    public func makeDemoRunner() throws -> DemoRunner {
        let made = try administration.addDevice(named: "demo")
        let share = try administration.createShare(
            ShareRequest(label: "Demo runner"), of: .device(made.device.id), stem: "demo")
        let port = address.devicePort
        return DemoRunner(
            token: made.token, url: address.url + "/s/" + share.id.text, devicePort: port)
    }
}
