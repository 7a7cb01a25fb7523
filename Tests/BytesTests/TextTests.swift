import Foundation
import SensorModel
import Testing

@testable import Bytes

@Suite struct TextTests {
    @Test(arguments: [
        "0", "-0", "1", "-1.5", "007", "3.14159265358979", "123456789012345678", "0.1", ".5", "5.",
        "1e5", "-2.5E-3", "9007199254740993", "0.000001", "179.9999999", " 42 ",
        "1234567.8901234567",
    ])
    func `A number is read as the standard library reads it`(text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        #expect(NumberText.double(text) == Double(trimmed))
    }

    @Test(arguments: ["", " ", "-", ".", "abc", "1,5", "nan", "inf", "0x10", "1 2", "1e999", "--1"])
    func `What is not a number is none`(text: String) {
        #expect(NumberText.double(text) == nil)
    }

    @Test func `Any number of a file is read to the last bit`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 0...9, using: &generator)
            let value = Double.random(in: -1e6...1e6, using: &generator)
            let text = String(format: "%.\(digits)f", value)
            #expect(NumberText.double(text) == Double(text))
        }
    }

    @Test func `Fixed decimals are those of printf`() {
        var generator = SeededGenerator(seed: 4)
        var values = [
            0.5, 1.5, 2.5, 0.125, 0.375, 1.005, 1.115, -0.0, -0.0000001, 0.285, 1e9, -7.25,
        ]
        for _ in 0..<20_000 { values.append(Double.random(in: -500...500, using: &generator)) }
        for value in values {
            for decimals in [0, 1, 2, 6] {
                var bytes: [UInt8] = []
                FixedDecimal.append(value, decimals: decimals, signedZero: true, to: &bytes)
                let wanted = String(format: "%.\(decimals)f", value)
                #expect(String(decoding: bytes, as: UTF8.self) == wanted)
            }
        }
    }

    @Test func `Nothing negative is printed without a digit but zero`() {
        #expect(FixedDecimal.text(-0.04, decimals: 1) == "0.0")
        #expect(FixedDecimal.text(-0.06, decimals: 1) == "-0.1")
    }

    @Test(arguments: [
        ("2015-10-01T08:00:00-0700", 1_443_711_600.0), ("1970-01-01T00:00:00Z", 0),
        ("2025-12-12T09:00:00.000Z", 1_765_530_000), ("2000-02-29T23:59:59+00:00", 951_868_799),
        ("2024-02-29 12:00:00", 1_709_208_000), ("2020-01-01T00:00:00.5+05:30", 1_577_817_000.5),
        ("2020-06-30", 1_593_475_200), ("2016-12-31T23:59:60Z", 1_483_228_800),
        ("1969-12-31T23:59:59Z", -1), ("2021-03-04T05:06Z", 1_614_834_360),
        ("2020-01-01T00:00:00.1234567Z", 1_577_836_800.123456),
    ])
    func `A date is a moment`(text: String, seconds: Double) throws {
        let time = try #require(Timestamp(looseISO8601: text))
        #expect(abs(time.secondsSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "2020", "2020-13-01", "2021-02-29T00:00:00Z", "2020-00-10", "2020-01-32", "20200101",
        "2020-01-01T25:00:00Z", "2020-01-01T00:60:00Z", "2020-01-01Tx", "2020-01-01T00:00:00.Z",
        "2020-01-01T00:00:00+1", "2020-01-01T00:00:00Zjunk", "0000-01-01T00:00:00+99",
    ])
    func `What is not a date is none`(text: String) {
        #expect(Timestamp(looseISO8601: text) == nil)
    }

    @Test func `Each day of four centuries goes there and back`() throws {
        var day: Int64 = 0
        for year in Int64(1900)..<2300 {
            for month in Int64(1)...12 {
                let first = try #require(CivilDate(year: year, month: month, day: 1))
                let number = first.daysSince1970
                if day != 0 { #expect((28...31).contains(number - day)) }
                day = number
                #expect(CivilDate(daysSince1970: number) == first)
                #expect(CivilDate(daysSince1970: number - 1).day >= 28)
            }
        }
    }

    @Test func `A moment is written in UTC with as many decimals as asked`() {
        let time = Timestamp(microseconds: 1_763_700_000_123_456)
        #expect(time.iso8601(decimals: 0) == "2025-11-21T04:40:00Z")
        #expect(time.iso8601(decimals: 3) == "2025-11-21T04:40:00.123Z")
        #expect(time.iso8601(decimals: 6) == "2025-11-21T04:40:00.123456Z")
        let before = Timestamp(microseconds: -1)
        #expect(before.iso8601(decimals: 6) == "1969-12-31T23:59:59.999999Z")
    }

    @Test func `A device's date has seconds and an offset, or is none`() {
        for (text, microseconds) in [
            ("2025-11-21T04:40:00.123Z", 1_763_700_000_123_000 as Int64?),
            ("2025-11-21t05:40:00+01:00", 1_763_700_000_000_000), ("2025-11-21T04:40:00", nil),
            ("2025-11-21T04:40Z", nil), ("2025-02-29T04:40:00Z", nil), ("2025-11-21", nil),
        ] {
            #expect(ISO8601.microseconds(Array(text.utf8).span) == microseconds, "\(text)")
        }
    }

    @Test func `The checksum is that of the standard`() {
        #expect(CRC32.value(of: Array("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test func `Little-endian numbers come back`() {
        var bytes: [UInt8] = [0]
        bytes.appendLittleEndian(UInt32(0x0102_0304))
        bytes.appendLittleEndian(Int16(-2))
        bytes.appendLittleEndian(-1.5)
        #expect(bytes == [0, 4, 3, 2, 1, 0xFE, 0xFF, 0, 0, 0, 0, 0, 0, 0xF8, 0xBF])
        #expect(bytes.span.uint32(at: 1) == 0x0102_0304)
        #expect(bytes.span.int16(at: 5) == -2)
        #expect(bytes.span.uint64(at: 7) == (-1.5).bitPattern)
    }

    @Test func `Bytes are UTF-8 exactly where the standard library says so`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...6, using: &generator)
            let interesting: [UInt8] = [
                0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
                0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
            ]
            let bytes = (0..<count).map { _ in interesting.randomElement(using: &generator) ?? 0 }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            #expect(UTF8Check.isValid(bytes.span) == expected, "\(bytes)")
            var stream = UTF8Stream()
            let whole = bytes.allSatisfy { stream.accepts($0) } && stream.isComplete
            #expect(whole == expected, "\(bytes)")
        }
    }
}
