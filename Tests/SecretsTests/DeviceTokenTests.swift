import Bytes
import SensorModel
import Testing

@testable import Secrets

@Suite struct DeviceTokenTests {
    /// Computed with another implementation from the bytes 0…31.
    static let text = "pc_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    static let hash = "aa4a1ae36d73b7cffc6a587fad6b4a1d222bf6d0cd8167404b30b5169679c970"
    static let session = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    static let sentAt = "1763700000.123"
    static let proof = "47bbef3aaf4de95d166542033522e32554ffe9e2a60101423bb47953f95100fc"

    @Test func `A token's hash and proof are what any implementation computes`() throws {
        let token = try #require(DeviceToken(Self.text))
        #expect(token.text == Self.text)
        #expect(token.hash.bytes == Hexadecimal.bytes(of: Self.hash.utf8))
        #expect(token.proofKey.proof(session: Self.session, sentAt: Self.sentAt) == Self.proof)
        let restored = try #require(ProofKey(bytes: token.proofKey.bytes))
        #expect(
            restored.verify(Self.proof, session: Self.session, sentAt: Self.sentAt)?.bytes
                == Hexadecimal.bytes(of: Self.proof.utf8))
        #expect(
            restored.verify(Self.proof.uppercased(), session: Self.session, sentAt: Self.sentAt)
                != nil)
    }

    @Test(arguments: [
        ("", session, sentAt), (String(proof.dropLast()), session, sentAt),
        (proof + "00", session, sentAt), (String(proof.dropLast(2)) + "fd", session, sentAt),
        (proof, session, "1763700000.124"), (proof, session, "1763700000.1230"),
        (proof, session.uppercased(), sentAt), ("zz" + proof.dropFirst(2), session, sentAt),
        (hash, session, sentAt),
    ])
    func `Anything else is no proof`(proof: String, session: String, sentAt: String) throws {
        let key = try #require(DeviceToken(Self.text)?.proofKey)
        #expect(key.verify(proof, session: session, sentAt: sentAt) == nil)
    }

    static let body = String(text.dropFirst(3))
    static let short = String(text.dropLast())
    static let misspelled: [String] = [
        "", "pc_", short, "\(text)A", "PC_\(body)", "xx_\(body)", "\(short)9", "\(short)=",
        "\(short)é", " \(short)",
    ]

    @Test(arguments: misspelled)
    func `What is not spelled as a token is none`(text: String) {
        #expect(DeviceToken(text) == nil)
    }

    @Test func `Tokens and share IDs read back, and no two are alike`() throws {
        var generator = SeededGenerator(seed: 1)
        var hashes: Set<SecretHash> = []
        for _ in 0..<1000 {
            let token = DeviceToken(using: &generator)
            #expect(token.text.utf8.count == 46)
            #expect(DeviceToken(token.text)?.hash == token.hash)
            hashes.insert(token.hash)
            let share = ShareID(using: &generator)
            #expect(ShareID(bytes: share.bytes) == share)
            hashes.insert(share.hash)
        }
        #expect(hashes.count == 2000)
        #expect(ShareID(bytes: Array(repeating: 0, count: 15)) == nil)
    }

    @Test func `A share ID's hash is what any implementation computes`() {
        #expect(
            ShareID("AAECAwQFBgcICQoLDA0ODw")?.hash.bytes
                == Hexadecimal.bytes(
                    of: "f73f51d2d81ed36d2af5a5fc1ab20c0e73bc972c7eebc75a7a6369fcdddaa556".utf8)
        )
    }

    @Test func `Secrets are equal when all of their bytes are`() {
        var generator = SeededGenerator(seed: 2)
        for count in 0..<64 {
            let bytes = (0..<count).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(ConstantTime.areEqual(bytes, bytes))
            #expect(!ConstantTime.areEqual(bytes, bytes + [0]))
            for index in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[index] ^= 1 << UInt8(bit)
                    #expect(!ConstantTime.areEqual(bytes, other))
                }
            }
        }
    }

    @Test func `A hash keeps its bytes in order`() {
        let bytes = Array(UInt8(1)...32)
        #expect(SecretHash(bytes: bytes)?.bytes == bytes)
        #expect(SecretHash(bytes: bytes.dropLast()) == nil)
        #expect(SecretHash(bytes: bytes) != SecretHash(bytes: bytes.reversed()))
    }
}
