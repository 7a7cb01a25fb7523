import NIOSSL
import Synchronization

/// The certificate and key a listener shows; new files can be put in its place while it listens.
public final class TLSIdentity: Sendable {
    private let current: Mutex<NIOSSLContext>

    /// - Parameters:
    ///   - certificatePath: PEM, the leaf first, then its chain.
    ///   - keyPath: PEM.
    /// - Throws: ``TransportError`` when a file is missing or unusable.
    public init(certificatePath: String, keyPath: String) throws(TransportError) {
        current = Mutex(try Self.makeContext(certificatePath, keyPath))
    }

    var context: NIOSSLContext { current.withLock { $0 } }

    /// Reads the files again. New connections get what is in them now; open ones keep theirs.
    ///
    /// - Parameters:
    ///   - certificatePath: PEM, the leaf first, then its chain.
    ///   - keyPath: PEM.
    /// - Throws: ``TransportError``; the old certificate then stays.
    public func reload(certificatePath: String, keyPath: String) throws(TransportError) {
        let fresh = try Self.makeContext(certificatePath, keyPath)
        current.withLock { $0 = fresh }
    }

    /// When the first certificate of a file ends.
    ///
    /// - Parameter path: PEM.
    /// - Returns: Seconds since 1970.
    /// - Throws: ``TransportError`` when it cannot be read.
    public static func expiry(ofCertificate path: String) throws(TransportError) -> Int {
        do {
            guard let leaf = try NIOSSLCertificate.fromPEMFile(path).first else {
                throw TransportError.certificateUnusable(path: path, reason: "it is empty")
            }
            return Int(leaf.notValidAfter)
        } catch let error as TransportError {
            throw error
        } catch {
            throw .certificateUnusable(path: path, reason: "\(error)")
        }
    }

    private static func makeContext(
        _ certificatePath: String, _ keyPath: String
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
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw .keyUnusable(path: keyPath, reason: "\(error)")
        }
    }
}
