import Crypto

/// Signs what the nodes of a cluster send each other; all have the same master key.
public struct ClusterSigner: Sendable {
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// - Returns: HMAC-SHA256, 32 bytes.
    public func signature(of message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    /// Hash by which two nodes find out whether a block of a file is the same.
    ///
    /// - Returns: SHA-256, 32 bytes.
    public static func digest(of block: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: block)) }
}
