import Foundation
import Runtime
import Secrets
import SensorModel

/// A certificate and key on disk for a first start with TLS, made by `tls self-signed`.
public struct SelfSignedFiles: Sendable {
    public let certificatePath: String
    public let keyPath: String

    /// - Parameters:
    ///   - folder: Target folder; created if it is missing.
    ///   - names: Host names and addresses of the certificate; at least one.
    ///   - days: Validity from now on.
    /// - Throws: ``SelfSignedFilesError``, or errors of the cryptography. Nothing is overwritten.
    public init(in folder: String, names: [String], days: Int) throws {
        certificatePath = folder + "/certificate.pem"
        keyPath = folder + "/key.pem"
        let files = FileManager.default
        for path in [certificatePath, keyPath] where files.fileExists(atPath: path) {
            throw SelfSignedFilesError.exists(path: path)
        }
        var generator = SystemRandomNumberGenerator()
        let made = try SelfSignedCertificate(
            names: names, from: WallClock.now(), days: days, using: &generator)
        try files.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        for (path, text) in [(keyPath, made.keyPEM), (certificatePath, made.certificatePEM)] {
            // The file is private from its creation, even while it is empty.
            guard
                files.createFile(
                    atPath: path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: 0o600])
            else { throw SelfSignedFilesError.cannotWrite(path: path) }
        }
    }
}

public enum SelfSignedFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    case exists(path: String)
    case cannotWrite(path: String)

    public var description: String {
        switch self {
        case .exists(let path): "\(path) is there already: move it away, or name another --folder"
        case .cannotWrite(let path): "\(path) cannot be written: name another --folder"
        }
    }
}
