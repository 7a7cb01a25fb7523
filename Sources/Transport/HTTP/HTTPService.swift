import NIOCore
import SensorModel

/// What all connections of one HTTP listener share.
struct HTTPService: Sendable {
    let router: Router
    let limits: ConnectionLimits
    let trustedProxies: [PeerAddress]
    let allowedOrigins: [String]
    let securityHeaders: HTTPFields
    let hasTLS: Bool
    let devices: any DeviceGate
    let viewers: any ViewerGate
}

/// What a connection hands over when it stops being HTTP.
struct UpgradedSocket {
    let channel: any Channel
    let loop: LoopState
    let service: HTTPService
    let request: HTTPRequest
    let ticket: ConnectionTicket
}
