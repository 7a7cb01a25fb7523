extension ClientError {
    /// Looks at the server once more to say why a connection failed, and what would work.
    ///
    /// - Parameter address: Address that the client connected to.
    /// - Returns: An error with a better reason, or this one.
    public func explained(at address: ServerAddress) async -> ClientError {
        switch self {
        case .noTLS(let reason):
            guard let plain = address.other else { return self }
            return .noTLS(reason: "\(reason): if that is meant, use \(plain)")
        case .connectionLost, .notAnAnswer, .silent, .upgradeRefused(status: 400):
            guard !address.scheme.hasTLS, let secure = address.other,
                await ServerCertificate.presented(at: address) != nil
            else { return self }
            return .speaksTLS(instead: "\(secure)")
        default: return self
        }
    }
}

extension ServerAddress {
    /// The same with TLS in place of none, or without it; `nil` for a socket of this machine.
    var other: ServerAddress? {
        let schemes: [(plain: Scheme, secure: Scheme)] = [
            (.tcp, .tcps), (.ws, .wss), (.http, .https),
        ]
        guard let pair = schemes.first(where: { scheme == $0.plain || scheme == $0.secure })
        else { return nil }
        var other = self
        other.scheme = scheme.hasTLS ? pair.plain : pair.secure
        return other
    }
}
