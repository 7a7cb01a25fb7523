/// Why a secret is not available.
public enum SecretsError: Error, Hashable, Sendable {
    case masterKeyUnreadable(path: String)
    case masterKeyMalformed(path: String, bytes: Int)
    /// Written by a later version of the daemon.
    case masterKeyNewer(path: String, version: Int, versionKnown: Int)
    /// Other users could read the file.
    case masterKeyExposed(path: String, permissions: Int)
    case masterKeyNotCreated(path: String)
    /// The secret was sealed with another master key or for another row, or was changed since.
    case sealBroken(SealPurpose)
}

extension SecretsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .masterKeyUnreadable(let path):
            "the master key \(path) cannot be read: check that it exists and whose it is"
        case .masterKeyMalformed(let path, let bytes):
            "the master key \(path) has \(bytes) bytes: put 32 random bytes there, or their base64"
        case .masterKeyNewer(let path, let version, let known):
            "the master key \(path) has format \(version), this pulsecast reads up to \(known): "
                + "install the newer daemon, or put the key back from before the upgrade"
        case .masterKeyExposed(let path, let permissions):
            "the master key \(path) has mode \(String(permissions, radix: 8)): "
                + "chmod 600 it, so that only the daemon reads it"
        case .masterKeyNotCreated(let path):
            "the master key \(path) cannot be written: check the folder's owner and space"
        case .sealBroken(let purpose):
            "\(purpose) does not open with this master key: restore the key it was sealed with"
        }
    }
}
