import SensorModel

extension HandshakeRefusal {
    var code: CloseCode {
        switch self {
        case .tokenRefused: .tokenRefused
        case .tooMany: .tooManyRequests
        case .restarting: .restarting
        case .unavailable: .tryAgainLater
        }
    }
}
