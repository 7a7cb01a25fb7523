import SensorModel
import Testing
import WireFormat

@Suite struct JSONNumberTests {
    /// The number as decoded from a hello's `sentAt`, which keeps full Double precision.
    private static func value(_ digits: String) -> Double? {
        let result = TextResult(
            #"{"type":"hello","session":"01234567-89ab-cdef-0123-456789abcdef","sentAt":\#(digits)}"#
        )
        guard case .hello(let hello)? = result.items.first else { return nil }
        return hello.sentAt
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "0.1", "1e0", "1E+2", "1e-2", "123456789012345678",
        "0.30000000000000004",
        "9007199254740993", "9007199254740992.5", "4503599627370497.5", "1e22", "1e23", "8.5e-23",
        "1763700000.1234567", "0.12345679104328156", "1.2345678901234567e-05", "5e-324", "2e-324",
        "1.7976931348623157e308", "0.000001", "1e-27", "1e-28", "123e25", "18446744073709551615",
        "18446744073709551616", "0.00000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000", "1.00000000000000011102230246251565",
        "2.2250738585072011e-308", "9223372036854775807", "9223372036854775808",
        "1000000000000000128", "1000000000000000192", "0.1e1", "7.2057594037927933e16",
    ])
    func `A number is the nearest Double`(digits: String) throws {
        let expected = try #require(Double(digits))
        #expect(Self.value(digits)?.bitPattern == expected.bitPattern)
    }

    @Test(arguments: 1...20)
    func `Random numbers are the nearest Double`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for _ in 0..<300 {
            let digits: String
            switch Int.random(in: 0..<4, using: &random) {
            case 0: digits = "\(Double.random(in: -40...40, using: &random))"
            case 1: digits = "\(Double.random(in: 0...2e9, using: &random))"
            case 2:
                digits =
                    "\(UInt64.random(in: 0 ... .max, using: &random))"
                    + "e\(Int.random(in: -40...40, using: &random))"
            default:
                digits =
                    "\(Int.random(in: 0...999, using: &random))"
                    + ".\(UInt64.random(in: 0 ... .max, using: &random))"
            }
            let expected = try #require(Double(digits))
            #expect(Self.value(digits)?.bitPattern == expected.bitPattern, "\(digits)")
        }
    }

    @Test(arguments: [
        "1e309", "-1e309", "1e999999999999", "1\(String(repeating: "0", count: 400))",
    ])
    func `A number too large for a Double is refused where it counts`(digits: String) {
        #expect(Self.value(digits) == nil)
        let motion = TextDecoderTests.motion + #","ignored":\#(digits)}"#
        #expect(TextResult(motion).payload != nil)
    }

    @Test func `A number too small for a Double is zero`() {
        #expect(Self.value("1e-999999999999") == 0)
        #expect(Self.value("0e999999999999") == 0)
    }
}
