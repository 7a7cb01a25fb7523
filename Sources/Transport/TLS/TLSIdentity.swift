/// The certificate and key a listener shows; new files can be put in its place while it listens.
public final class TLSIdentity: Sendable {
    /// - Parameters:
    ///   - certificatePath: PEM, the leaf first, then its chain.
    ///   - keyPath: PEM.
    /// - Throws: ``TransportError`` when a file is missing or unusable.
    public init(certificatePath: String, keyPath: String) throws(TransportError) {
    }

    /// Reads the files again. New connections get what is in them now; open ones keep theirs.
    ///
    /// - Throws: ``TransportError``; the old certificate then stays.
    public func reload() throws(TransportError) {
    }
}
