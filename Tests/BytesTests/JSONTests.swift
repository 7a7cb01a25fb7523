import Testing

@testable import Bytes

@Suite struct JSONTests {
    private func parse(_ text: String) throws(JSONProblem) -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test func `Nanoseconds since 1970 keep every digit`() throws {
        let value = try parse(#"{"time":1698501144401773001,"big":92233720368547758080}"#)
        #expect(value["time"]?.int64 == 1_698_501_144_401_773_001)
        #expect(value["big"]?.double == 92_233_720_368_547_758_080)
    }

    @Test func `Values are what they say`() throws {
        let value = try parse(
            #" {"a":[1,-2.5e1,true,false,null,"x\né\u00e9\ud83d\ude00"],"a":{"b":""}, "c":[]} "#)
        #expect(value["a"]?["b"] == .string(""))
        #expect(value["c"] == .array([]))
        let array = try parse(#"[1,-2.5e1,true,false,null,"x\n\u00e9\ud83d\ude00"]"#)
        #expect(
            array
                == .array([
                    .integer(1), .number(-25), .bool(true), .bool(false), .null,
                    .string("x\né😀"),
                ]))
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e", "tru",
        "\"", "\"\\x\"", "\"\\ud800\"", "\"\\u12\"", "1 2", "'a'", "[1 2]", "NaN", "1e999",
        "\"\u{1}\"",
    ])
    func `What is not JSON is refused`(text: String) {
        #expect(throws: JSONProblem.self) { try parse(text) }
    }

    @Test func `Bytes that are not UTF-8 and deep nesting are refused`() {
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONProblem.self) { try parse(String(repeating: "[", count: 100_000)) }
    }

    @Test func `What is written can be read`() throws {
        var writer = JSONWriter()
        writer.object { object in
            object.string("text", "a\"b\\c\u{1}\né")
            object.number("number", 3.10, decimals: 2)
            object.number("nothing", nil, decimals: 2)
            object.number("notFinite", .nan, decimals: 2)
            object.integer("integer", -7)
            object.seconds("time", microseconds: 1_763_700_000_123_400)
            object.array("array") { array in
                array.bool(nil, true)
                array.null()
                array.exact(nil, Float(0.1))
            }
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text == """
                {"text":"a\\"b\\\\c\\u0001\\u000aé","number":3.1,"integer":-7,\
                "time":1763700000.1234,"array":[true,null,0.1]}
                """)
        #expect(try parse(text)["text"]?.string == "a\"b\\c\u{1}\né")
    }
}
