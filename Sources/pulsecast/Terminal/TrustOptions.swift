import ArgumentParser
import Client
import Foundation

/// Servers that a command trusts.
struct TrustOptions: ParsableArguments {
    @Option(
        help: .value("path", "A PEM file of certificates to trust instead of the system's."),
        completion: .file())
    var ca: String?

    /// - Throws: ``CommandFailure`` if the file cannot be read.
    var tls: ClientTLS {
        get throws {
            if let ca, !FileManager.default.isReadableFile(atPath: ca) {
                throw CommandFailure(
                    "\(ca) cannot be read: name a PEM file with --ca", status: ExitStatus.wrongUse)
            }
            return ClientTLS(trustedCertificatesPath: ca)
        }
    }
}
