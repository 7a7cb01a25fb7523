import Bytes
import Testing

@Suite struct HexadecimalTests {
    @Test func `Every byte is two digits, and comes back`() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Hexadecimal.text(of: bytes)
        #expect(text.hasPrefix("000102030405060708090a0b") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(of: text.utf8) == bytes)
        #expect(Hexadecimal.bytes(of: text.uppercased().utf8) == bytes)
        #expect(Hexadecimal.bytes(of: "".utf8) == [])
    }

    @Test(arguments: ["0", "0g", "0x12", " 12", "12 ", "é1", "１２"])
    func `Other texts are no bytes`(text: String) {
        #expect(Hexadecimal.bytes(of: text.utf8) == nil)
    }

    @Test func `A number has the digits of its width`() {
        #expect(Hexadecimal.text(of: UInt32(0)) == "00000000")
        #expect(Hexadecimal.text(of: UInt32(0xBEEF)) == "0000beef")
        #expect(Hexadecimal.text(of: UInt64.max) == "ffffffffffffffff")
    }
}
