import Bytes
import Foundation
import SensorModel
import Testing

@testable import Sharing

@Suite struct ViewerJSONTests {
    @Test(arguments: [
        (0.0, 0, "0"), (0, 2, "0.00"), (1.005, 2, "1.00"), (2.5, 0, "3"), (-2.5, 0, "-3"),
        (151.4999, 0, "151"), (3.049, 2, "3.05"), (0.05, 1, "0.1"), (-0.04, 1, "0.0"),
        (-0.25, 1, "-0.3"), (48.1234567, 7, "48.1234567"), (-11.5, 7, "-11.5000000"),
        (1_763_700_123.0004, 3, "1763700123.000"), (9e15, 1, "9000000000000000.0"),
        (1e300, 1, "null"), (.infinity, 1, "null"), (.nan, 0, "null"),
    ])
    func `A number is rounded to nearest and keeps its decimals`(
        value: Double, decimals: Int, text: String
    ) {
        var json = ViewerJSON()
        json.number(value, decimals: decimals)
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        (Int64(0), "0"), (7, "7"), (-42, "-42"), (.max, "9223372036854775807"),
        (.min, "-9223372036854775808"),
    ])
    func `An integer is spelled whole`(value: Int64, text: String) {
        var json = ViewerJSON()
        json.integer(value)
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\"b\\c", "a\"b\\c"), ("</script>&", "</script>&"),
        ("line\nbreak\u{0}\u{1B}[31m", "line break[31m"), ("\u{202E}evil\u{2066}", "evil"),
        ("zero\u{200B}width\u{FEFF}", "zerowidth"), ("Zoë 🏃‍♀️", "Zoë 🏃‍♀️"),
        ("a\u{2028}b\u{2029}c", "a b c"), ("\u{9B}31m", "31m"),
    ])
    func `A text reads back clean`(text: String, clean: String) throws {
        var json = ViewerJSON()
        json.raw("[")
        json.text(text)
        json.raw("]")
        let parsed = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String]
        #expect(parsed == [clean])
        for byte in [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&")] {
            #expect(!json.bytes.contains(byte))
        }
    }

    @Test func `Any number reads back within half of its last digit`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let magnitude = Double.random(in: -9...9, using: &generator)
            let value = magnitude * Double.random(in: 0...1e6, using: &generator)
            let decimals = Int.random(in: 0...7, using: &generator)
            var json = ViewerJSON()
            json.number(value, decimals: decimals)
            var half = 0.5
            for _ in 0..<decimals { half /= 10 }
            let read = Double(String(decoding: json.bytes, as: UTF8.self)) ?? .nan
            #expect(abs(read - value) <= half * 1.0001 + abs(value) * 1e-15)
        }
    }

    @Test func `Any text is one JSON string, one line, and reads back as it was cleaned`() throws {
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<2000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                let plane = UInt32.random(in: 0...3, using: &generator)
                let reach: UInt32 = plane == 0 ? 0x80 : plane == 1 ? 0x3000 : 0x10FFFF
                let value = UInt32.random(in: 0...reach, using: &generator)
                if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
            }
            var json = ViewerJSON()
            json.raw("[")
            json.text(String(scalars))
            json.raw("]")
            let parsed = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String]
            let clean = CleanText.clean(String(scalars))
            #expect(parsed.map { Array($0[0].unicodeScalars) } == Array(clean.unicodeScalars))
            #expect(!json.bytes.contains(10))
        }
    }
}
