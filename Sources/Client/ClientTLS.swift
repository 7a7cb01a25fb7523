import NIOCore
import NIOSSL
import Transport

/// Which server certificates a client trusts.
public struct ClientTLS: Hashable, Sendable {
    /// PEM file with the certificates to trust; `nil`: the system's.
    public var trustedCertificatesPath: String?
    /// `false` only if the user requested it.
    public var verifies = true

    public init(trustedCertificatesPath: String? = nil, verifies: Bool = true) {
        self.trustedCertificatesPath = trustedCertificatesPath
        self.verifies = verifies
    }

    func handler(for address: ServerAddress) throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let trustedCertificatesPath { configuration.trustRoots = .file(trustedCertificatesPath) }
        if !verifies { configuration.certificateVerification = .none }
        let context = try NIOSSLContext(configuration: configuration)
        let isName = PeerAddress(address.host) == nil
        return try NIOSSLClientHandler(
            context: context, serverHostname: isName ? address.host : nil)
    }
}
