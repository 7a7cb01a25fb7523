import SensorModel
import Testing

@Suite struct IdentifierTests {
    /// A small generator with a fixed seed: the same identifiers in every run.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }

    @Test func `A share ID is 22 characters that read back as themselves`() {
        var generator = Seeded(state: 7)
        for _ in 0..<1000 {
            let id = ShareID(using: &generator)
            #expect(id.text.first != "-")
            #expect(id.text.utf8.count == ShareID.characterCount)
            #expect(ShareID(id.text) == id)
            #expect(id.bytes.count == 16)
        }
    }

    @Test(arguments: [
        "", "short", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA!",
        "AAAAAAAAAAAAAAAAAAAAAB",
    ])
    func `Another spelling is no share ID`(text: String) {
        #expect(ShareID(text) == nil)
    }

    @Test func `All zeros and all ones have the texts of base64url`() {
        #expect(ShareID("AAAAAAAAAAAAAAAAAAAAAA")?.bytes == [UInt8](repeating: 0, count: 16))
        #expect(ShareID("_____________________w")?.bytes == [UInt8](repeating: 255, count: 16))
    }

    @Test func `A session's UUID reads back in any case and prints in lower case`() {
        let text = "9B2F7C1E-5d0a-4c53-9a51-0d5f3c1e8a77"
        #expect(SessionID(text)?.description == text.lowercased())
        #expect(SessionID(text) == SessionID(text.uppercased()))
    }

    @Test(arguments: [
        "", "9b2f7c1e5d0a4c539a510d5f3c1e8a77", "9b2f7c1e-5d0a-4c53-9a51-0d5f3c1e8a7",
        "9b2f7c1e-5d0a-4c53-9a51-0d5f3c1e8a7g", "9b2f7c1e-5d0a-4c53-9a51x0d5f3c1e8a77",
    ])
    func `Another text is no session`(text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test func `A drawn session is a version 4 UUID`() {
        var generator = Seeded(state: 3)
        let text = Array(SessionID(using: &generator).description)
        #expect(text[14] == "4")
        #expect("89ab".contains(text[19]))
    }

    @Test(
        arguments: [("e1-0", 1, 0), ("e4294967295-1152921504606846975", .max, 1 << 60 - 1)]
            as [(String, UInt32, UInt64)])
    func `A cursor reads back as it prints`(text: String, epoch: UInt32, offset: UInt64) {
        let cursor = LogCursor(epoch: epoch, offset: RecordOffset(rawValue: offset))
        #expect(LogCursor(text) == cursor)
        #expect(cursor.description == text)
    }

    @Test(arguments: ["1152921504606846977", "18446744073709551615"])
    func `An offset that no log has leaves room for sums`(offset: String) {
        #expect(LogCursor("e1-" + offset)?.offset.rawValue == 1 << 60)
    }

    @Test(arguments: [
        "", "e", "1-2", "e1", "e-1", "e1-", "e1-2-3", "e+1-2", "e1-2 ", "e4294967296-0",
    ])
    func `Another text is no cursor`(text: String) {
        #expect(LogCursor(text) == nil)
    }
}
