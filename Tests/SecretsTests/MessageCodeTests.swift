import Secrets
import Testing

@Suite struct MessageCodeTests {
    @Test func `An identifier is the beginning of SHA-256`() {
        let numbers = MessageCode.identifier(of: "abc")
        #expect(numbers.high == 0xBA78_16BF_8F01_CFEA)
        #expect(numbers.low == 0x4141_40DE_5DAE_2223)
    }

    @Test func `A signature is that of RFC 4231, case 2`() {
        let code = MessageCode.signature(
            of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(code == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
