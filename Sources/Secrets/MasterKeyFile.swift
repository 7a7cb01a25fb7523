import Foundation

/// Location of the master key: systemd's credentials, else a file of the daemon, created at its
/// first start.
public struct MasterKeyFile: Sendable {
    /// The name in `LoadCredential=master-key:…`.
    public static let credentialName = "master-key"
    public static let stateFileName = "master.key"
    /// Version of the file's format.
    static let version = 1

    private let credential: String?
    /// Whether the owner named the file. A missing file is then an error, which a new key in its
    /// place would hide.
    private let isConfigured: Bool
    private let stateFile: String

    /// - Parameters:
    ///   - configured: A file that the owner named; empty: none.
    ///   - credentialsDirectory: `$CREDENTIALS_DIRECTORY`; `nil` when not run by systemd.
    ///   - stateDirectory: Must exist.
    public init(
        configured: String = "", credentialsDirectory: String?, stateDirectory: String
    ) {
        isConfigured = !configured.isEmpty
        credential =
            configured.isEmpty
            ? credentialsDirectory.map { $0 + "/" + Self.credentialName } : configured
        stateFile = stateDirectory + "/" + Self.stateFileName
    }

    /// Whether ``load(using:)`` reads a key and does not create one.
    public var exists: Bool {
        let manager = FileManager.default
        return credential.map { isConfigured || manager.fileExists(atPath: $0) } ?? false
            || manager.fileExists(atPath: stateFile)
    }

    /// Reads the key; creates it if there is none yet.
    ///
    /// - Parameter generator: The system's generator.
    /// - Returns: The installation's key.
    /// - Throws: ``SecretsError`` if the key can neither be read nor created, or other users could
    ///   read it.
    public func load(
        using generator: inout some RandomNumberGenerator
    ) throws(SecretsError) -> MasterKey {
        if let credential, isConfigured || FileManager.default.fileExists(atPath: credential) {
            // systemd protects its directory and sets the mode of the file in it.
            return try read(credential)
        }
        if !FileManager.default.fileExists(atPath: stateFile) { try create(using: &generator) }
        try checkPermissions()
        return try read(stateFile)
    }

    private func read(_ path: String) throws(SecretsError) -> MasterKey {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw .masterKeyUnreadable(path: path)
        }
        let (version, bytes) = Self.decode(contents)
        guard version <= Self.version else {
            throw .masterKeyNewer(path: path, version: version, versionKnown: Self.version)
        }
        guard let key = MasterKey(bytes: bytes) else {
            throw .masterKeyMalformed(path: path, bytes: contents.count)
        }
        return key
    }

    /// Decodes `v1:` and the base64 of 32 bytes. Without a version: 32 raw bytes or their base64,
    /// as an owner creates them. Both base64 alphabets are accepted.
    private static func decode(_ contents: Data) -> (version: Int, bytes: [UInt8]) {
        if contents.count == MasterKey.byteCount { return (version, Array(contents)) }
        var text = String(decoding: contents, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        var found = version
        if text.first == "v", let colon = text.firstIndex(of: ":"),
            let number = Int(text[..<colon].dropFirst()), number > 0
        {
            found = number
            text = String(text[colon...].dropFirst())
        }
        text = text.replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        return (found, TextForm.bytes(base64URL: text) ?? [])
    }

    /// Creates the key. It is written under another name and then linked, so a crash leaves no
    /// partial key. If two daemons start for the first time together, one wins. The name is on disk
    /// once the folder is synced.
    private func create(using generator: inout some RandomNumberGenerator) throws(SecretsError) {
        let bytes = (0..<MasterKey.byteCount).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        let manager = FileManager.default
        let draft = "\(stateFile).\(ProcessInfo.processInfo.processIdentifier)"
        let text = "v\(Self.version):\(TextForm.base64URL(bytes))\n"
        // The file is created empty, because Foundation would sync contents, too.
        guard
            manager.createFile(
                atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw .masterKeyNotCreated(path: stateFile) }
        do {
            defer { try? manager.removeItem(atPath: draft) }  // a leftover draft is harmless
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
            try handle.write(contentsOf: Data(text.utf8))
            try handle.synchronize()
            try handle.close()
            try manager.linkItem(atPath: draft, toPath: stateFile)
        } catch {
            // Another start may have been first; its key is then used.
            guard manager.fileExists(atPath: stateFile) else {
                throw .masterKeyNotCreated(path: stateFile)
            }
        }
    }

    private func checkPermissions() throws(SecretsError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: stateFile)
        guard let permissions = attributes?[.posixPermissions] as? Int else {
            throw .masterKeyUnreadable(path: stateFile)
        }
        guard permissions & 0o077 == 0 else {
            throw .masterKeyExposed(path: stateFile, permissions: permissions)
        }
    }
}
