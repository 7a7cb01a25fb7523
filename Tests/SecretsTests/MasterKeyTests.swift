import Foundation
import SensorModel
import Testing

@testable import Secrets

@Suite struct MasterKeyTests {
    static func key(_ byte: UInt8) throws -> MasterKey {
        try #require(MasterKey(bytes: Array(repeating: byte, count: 32)))
    }

    static let purposes: [SealPurpose] = [
        .shareID(ShareKey(rawValue: 1)), .shareID(ShareKey(rawValue: 2)),
        .proofKey(DeviceID(rawValue: 1)), .shortCode(ShareKey(rawValue: 1)),
    ]

    @Test(arguments: purposes, purposes)
    func `A seal opens for its own row and no other`(
        sealedFor: SealPurpose, openedFor: SealPurpose
    ) throws {
        let key = try Self.key(1)
        let secret = Array("the secret".utf8)
        let sealed = key.seal(secret, for: sealedFor)
        #expect(sealed.count == secret.count + 28)
        if sealedFor == openedFor {
            #expect(try key.open(sealed, for: openedFor) == secret)
        } else {
            #expect(throws: SecretsError.sealBroken(openedFor)) {
                try key.open(sealed, for: openedFor)
            }
        }
    }

    @Test func `A seal of another key, cut short or changed in one bit does not open`() throws {
        let key = try Self.key(1)
        let purpose = Self.purposes[0]
        let sealed = key.seal([1, 2, 3], for: purpose)
        #expect(throws: SecretsError.self) { try Self.key(2).open(sealed, for: purpose) }
        for count in sealed.indices {
            #expect(throws: SecretsError.self) {
                try key.open(Array(sealed.prefix(count)), for: purpose)
            }
            var changed = sealed
            changed[count] ^= 1
            #expect(throws: SecretsError.self) { try key.open(changed, for: purpose) }
        }
        #expect(key.seal([1, 2, 3], for: purpose) != sealed)  // a nonce is used once
    }

    @Test func `The audit's name for an address holds for a day and a key`() throws {
        let key = try Self.key(1)
        let noon = Timestamp(microseconds: 1_763_726_400_000_000)
        let name = key.auditName(ofAddress: [192, 0, 2, 1], at: noon)
        #expect(name.count == 16)
        #expect(key.auditName(ofAddress: [192, 0, 2, 1], at: noon.advanced(bySeconds: 60)) == name)
        #expect(key.auditName(ofAddress: [192, 0, 2, 2], at: noon) != name)
        #expect(
            key.auditName(ofAddress: [192, 0, 2, 1], at: noon.advanced(bySeconds: 86_400)) != name)
        #expect(try Self.key(2).auditName(ofAddress: [192, 0, 2, 1], at: noon) != name)
    }

    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pulsecast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func `The first start makes a key that only its owner reads, the next one reads it`()
        throws
    {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var generator = SeededGenerator(seed: 1)
        let file = MasterKeyFile(credentialsDirectory: nil, stateDirectory: folder.path)
        let sealed = try file.load(using: &generator).seal([9], for: Self.purposes[0])
        let path = folder.path + "/master.key"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("v1:"))
        #expect(try file.load(using: &generator).open(sealed, for: Self.purposes[0]) == [9])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["master.key"])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: SecretsError.masterKeyExposed(path: path, permissions: 0o640)) {
            try file.load(using: &generator)
        }
    }

    static let credentials: [([UInt8], Bool)] = [
        (Array(("v1:" + Data(repeating: 0xFB, count: 32).base64EncodedString() + "\n").utf8), true),
        (Array("v1:\n".utf8), false),
        (Array(repeating: 0xAB, count: 32), true),
        (Array(Data(repeating: 0xAB, count: 32).base64EncodedString().utf8), true),
        (Array((Data(repeating: 0xFB, count: 32).base64EncodedString() + "\n").utf8), true),
        (Array("secret\n".utf8), false), ([], false), (Array(repeating: 0xAB, count: 31), false),
        (Array(repeating: 0xAB, count: 33), false),
    ]

    @Test(arguments: credentials.indices)
    func `A credential is used in place of the file, in bytes or base64`(index: Int) throws {
        let (contents, isValid) = Self.credentials[index]
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/master-key"
        try Data(contents).write(to: URL(fileURLWithPath: path))
        var generator = SeededGenerator(seed: 2)
        let file = MasterKeyFile(
            credentialsDirectory: folder.path, stateDirectory: folder.path)
        if isValid {
            _ = try file.load(using: &generator)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        } else {
            #expect(
                throws: SecretsError.masterKeyMalformed(path: path, bytes: contents.count)
            ) { try file.load(using: &generator) }
        }
    }

    @Test func `A key of a later version is refused with a sentence`() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/master-key"
        try Data("v2:xyz\n".utf8).write(to: URL(fileURLWithPath: path))
        var generator = SeededGenerator(seed: 4)
        let file = MasterKeyFile(credentialsDirectory: folder.path, stateDirectory: folder.path)
        let error = SecretsError.masterKeyNewer(path: path, version: 2, versionKnown: 1)
        #expect(throws: error) { try file.load(using: &generator) }
        #expect(error.description.contains("install the newer daemon"))
    }

    @Test func `A folder that cannot be written is named`() {
        var generator = SeededGenerator(seed: 3)
        let file = MasterKeyFile(
            credentialsDirectory: nil, stateDirectory: "/nonexistent/pulsecast")
        #expect(
            throws: SecretsError.masterKeyNotCreated(path: "/nonexistent/pulsecast/master.key")
        ) { try file.load(using: &generator) }
    }
}
