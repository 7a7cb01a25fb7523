import Foundation

/// A secret of the owner: a configured file, or a credential that systemd loaded.
package enum SecretFile {
    /// - Parameters:
    ///   - configured: The path; empty: the credential, if there is one.
    ///   - credential: Name of the credential.
    ///   - environment: Environment with systemd's variables.
    /// - Returns: The bytes without line ends behind them; none if there is no secret.
    /// - Throws: The error of reading the file.
    package static func bytes(
        configured: String, credential: String, environment: [String: String]
    ) throws -> [UInt8] {
        var path = configured
        if path.isEmpty, let folder = environment["CREDENTIALS_DIRECTORY"],
            FileManager.default.fileExists(atPath: "\(folder)/\(credential)")
        {
            path = "\(folder)/\(credential)"
        }
        guard !path.isEmpty else { return [] }
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        return Array(bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed())
    }
}
