import SensorModel
import Testing

@testable import Secrets

@Suite struct AdminSecretTests {
    @Test func `A secret survives its text, and two are never the same`() throws {
        var generator = SystemRandomNumberGenerator()
        let secret = AdminSecret(using: &generator)
        let read = try #require(AdminSecret(secret.text))
        #expect(read.hash == secret.hash && read.text == secret.text)
        #expect(secret.text.utf8.count == 25 && secret.text.hasPrefix("pa_"))
        #expect(AdminSecret(using: &generator).hash != secret.hash)
    }

    @Test(arguments: [
        "", "pa_", "pa_AAAAAAAAAAAAAAAAAAAAAB", "pa_AAAAAAAAAAAAAAAAAAAAA",
        "pc_AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA", "pa_AAAAAAAAAAAAAAAAAAAAA=",
    ])
    func `Only the exact form is a secret`(text: String) {
        #expect(AdminSecret(text) == nil)
    }

    @Test func `Its hash is that of no share with the same bytes`() throws {
        let bytes = String(repeating: "A", count: 22)
        let share = try #require(ShareID(bytes))
        #expect(try #require(AdminSecret("pa_" + bytes)).hash != share.hash)
    }
}
