import NIOCore
import SensorModel

/// State shared by all connections of one HTTP listener, kept in one object to save memory per
/// connection.
final class HTTPService: Sendable {
    let router: Router
    let limits: ConnectionLimits
    let trustedProxies: [PeerAddress]
    let allowedOrigins: [String]
    let securityHeaders: HTTPFields
    let hasTLS: Bool
    let devices: any DeviceGate
    let viewers: any ViewerGate

    init(
        _ configuration: ListenerConfiguration, _ router: Router, devices: any DeviceGate,
        viewers: any ViewerGate
    ) {
        self.router = router
        limits = configuration.limits
        trustedProxies = configuration.trustedProxies
        allowedOrigins = configuration.allowedOrigins
        securityHeaders = configuration.securityHeaders
        hasTLS = configuration.identity != nil
        self.devices = devices
        self.viewers = viewers
    }
}

/// State that a connection hands over when it leaves HTTP.
struct UpgradedSocket {
    let channel: any Channel
    let loop: LoopState
    let service: HTTPService
    let request: HTTPRequest
    let ticket: ConnectionTicket
    /// `nil` without TLS.
    let records: TLSRecordGate?
}
