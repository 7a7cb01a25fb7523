import NIOSSL
import Synchronization

/// A listener's certificate and key; both can be replaced while it listens.
public final class TLSIdentity: Sendable {
    private let current: Mutex<NIOSSLContext>
    /// Traffic secrets of connections during their handshake.
    let secrets = TLSSecretStore()

    /// - Parameters:
    ///   - certificatePath: PEM, the leaf first, then its chain.
    ///   - keyPath: PEM.
    /// - Throws: ``TransportError`` if a file is missing or unusable.
    public init(certificatePath: String, keyPath: String) throws(TransportError) {
        current = Mutex(try Self.makeContext(certificatePath, keyPath, secrets))
    }

    var context: NIOSSLContext { current.withLock { $0 } }

    /// Reads the files again. New connections use the new content; open ones keep the old.
    ///
    /// - Parameters:
    ///   - certificatePath: PEM, the leaf first, then its chain.
    ///   - keyPath: PEM.
    /// - Throws: ``TransportError``; the old certificate then stays in use.
    public func reload(certificatePath: String, keyPath: String) throws(TransportError) {
        let fresh = try Self.makeContext(certificatePath, keyPath, secrets)
        current.withLock { $0 = fresh }
    }

    private static func makeContext(
        _ certificatePath: String, _ keyPath: String, _ secrets: TLSSecretStore
    ) throws(TransportError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificatePath) } catch {
            throw .certificateUnusable(path: certificatePath, reason: "\(error)")
        }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: keyPath, format: .pem) } catch {
            throw .keyUnusable(path: keyPath, reason: "\(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.keyLogCallback = { secrets.note($0) }
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw .keyUnusable(path: keyPath, reason: "\(error)")
        }
    }
}
