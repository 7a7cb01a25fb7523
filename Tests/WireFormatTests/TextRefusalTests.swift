import SensorModel
import Testing
import WireFormat

@Suite struct TextRefusalTests {
    private static let location =
        #""type":"location","latitude":1,"longitude":2,"altitude":3,"horizontalAccuracy":4,"#
        + #""verticalAccuracy":5,"speed":6,"course":7,"timestamp":1763700000"#
    private static let motion = TextDecoderTests.motion

    static let bad: [(text: String, code: String)] = [
        ("{", "not_json"), ("}", "not_json"), ("{]", "not_json"), ("x", "not_json"),
        ("{}}", "not_json"), ("{} {}", "not_json"), ("[{}", "field_missing"),
        (#"{"a"}"#, "not_json"), (#"{"a":}"#, "not_json"), (#"{"a":1,}"#, "not_json"),
        (#"{a:1}"#, "not_json"), (#"{"a":01}"#, "not_json"), (#"{"a":+1}"#, "not_json"),
        (#"{"a":1.}"#, "not_json"), (#"{"a":.5}"#, "not_json"), (#"{"a":-}"#, "not_json"),
        (#"{"a":1e}"#, "not_json"), (#"{"a":NaN}"#, "not_json"), (#"{"a":Infinity}"#, "not_json"),
        (#"{"a":tru}"#, "not_json"), (#"{"a":nul"#, "not_json"), (#"{"a":"b}"#, "not_json"),
        (#"{"a":"\x"}"#, "not_json"), (#"{"a":"\u12g4"}"#, "not_json"),
        ("{\"a\":\"\u{1}\"}", "not_json"), (#"{"a":[1 2]}"#, "not_json"),
        (#"{"a":{"b":1]}"#, "not_json"), (#"{"a":0x10}"#, "not_json"),
        ("5", "not_an_object"), (#""text""#, "not_an_object"), ("null", "not_an_object"),
        ("{}", "field_missing"), (#"{"type":"motion"}"#, "field_missing"),
        (#"{"type":"cheer"}"#, "unknown_type"), (#"{"type":"Motion"}"#, "unknown_type"),
        (#"{"type":""}"#, "unknown_type"), (#"{"type":5}"#, "wrong_type"),
        (#"{"type":null}"#, "wrong_type"),
        (motion + #","accelerometerX":"0.5"}"#, "wrong_type"),
        (motion + #","gyroscopeZ":true}"#, "wrong_type"),
        (motion + #","timestamp":null}"#, "wrong_type"),
        (motion + #","gravityIncluded":1}"#, "wrong_type"),
        (motion + #","accelerometerY":32.01}"#, "acceleration_out_of_range"),
        (motion + #","gyroscopeX":-40.5}"#, "rotation_out_of_range"),
        (motion + #","accelerometerY":1e999}"#, "not_finite"),
        (motion + #","timestamp":5}"#, "device_time_out_of_range"),
        (motion + #","timestamp":1e300}"#, "device_time_out_of_range"),
        (motion + #","timestamp":1763800000}"#, "device_time_out_of_range"),
        (motion + #","seq":0}"#, "sequence_out_of_range"),
        (motion + #","seq":1.5}"#, "sequence_out_of_range"),
        (motion + #","seq":-3}"#, "sequence_out_of_range"),
        (motion + #","seq":4294967296}"#, "sequence_out_of_range"),
        (motion + #","seq":"7"}"#, "wrong_type"),
        ("{" + location + #","latitude":90.001}"#, "latitude_out_of_range"),
        ("{" + location + #","longitude":-180.5}"#, "longitude_out_of_range"),
        ("{" + location + #","altitude":9001}"#, "altitude_out_of_range"),
        ("{" + location + #","speed":null}"#, "wrong_type"),
        (
            #"{"type":"location","latitude":1,"longitude":2,"timestamp":1763700000}"#,
            "field_missing"
        ),
        (#"{"type":"heartRate","heartRate":19,"timestamp":1763700000}"#, "heart_rate_out_of_range"),
        (#"{"type":"heartRate","timestamp":1763700000}"#, "field_missing"),
        (#"{"type":"heartRate","heartRate":60}"#, "field_missing"),
        (
            #"{"type":"heartRate","heartRate":60,"rrSeconds":[-1],"timestamp":1763700000}"#,
            "rr_interval_out_of_range"
        ),
        (
            #"{"type":"heartRate","heartRate":60,"rrSeconds":["1"],"timestamp":1763700000}"#,
            "wrong_type"
        ),
        (
            #"{"type":"heartRate","heartRate":60,"rrSeconds":1,"timestamp":1763700000}"#,
            "wrong_type"
        ),
        (#"{"bpm":60,"start":"2025-11-21T04:39:55Z"}"#, "field_missing"),
        (#"{"bpm":60,"start":"2025-11-21T04:39:55Z","end":"now"}"#, "date_not_iso8601"),
        (
            #"{"bpm":60,"start":"2025-11-21T04:39:55Z","end":"2025-02-29T00:00:00Z"}"#,
            "date_not_iso8601"
        ),
        (
            #"{"bpm":60,"start":"2025-11-21T04:39:55Z","end":"2025-11-21T04:39:55"}"#,
            "date_not_iso8601"
        ),
        (#"{"type":"control","action":"fly","timestamp":1763700000}"#, "control_unknown"),
        (#"{"type":"control","action":1,"timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"measured","source":"pod","timestamp":1763700000}"#, "field_missing"),
        (#"{"type":"measured","cadence":"170","timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"measured","cadence":401,"timestamp":1763700000}"#, "value_out_of_range"),
        (#"{"type":"measured","power":-1,"timestamp":1763700000}"#, "value_out_of_range"),
        (#"{"type":"measured","speed":1e999,"timestamp":1763700000}"#, "not_finite"),
        (#"{"type":"measured","power":1,"placement":1,"timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"measured","power":1,"source":"","timestamp":1763700000}"#, "empty_text"),
        (#"{"type":"measured","power":1}"#, "field_missing"),
        (#"{"type":"foreign","data":"00","timestamp":1763700000}"#, "field_missing"),
        (#"{"type":"foreign","format":"fit","timestamp":1763700000}"#, "field_missing"),
        (#"{"type":"foreign","format":"fat","data":"00","timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"foreign","format":"fit","data":"","timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"foreign","format":"fit","data":"0","timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"foreign","format":"fit","data":"0g","timestamp":1763700000}"#, "wrong_type"),
        (
            #"{"type":"foreign","format":"fit","data":"\#(String(repeating: "0", count: 8160))","#
                + #""timestamp":1763700000}"#, "wrong_type"
        ),
        (#"{"type":"pressure","hectopascals":0,"timestamp":1763700000}"#, "pressure_out_of_range"),
        (#"{"type":"status","battery":50,"timestamp":1763700000}"#, "battery_out_of_range"),
        (#"{"type":"status","battery":0.5,"charging":"no","timestamp":1763700000}"#, "wrong_type"),
        (#"{"type":"marker","text":"","timestamp":1763700000}"#, "empty_text"),
        (#"{"type":"marker","text":"\ud800x","timestamp":1763700000}"#, "not_utf8"),
        (#"{"type":"marker","text":"\ude00","timestamp":1763700000}"#, "not_utf8"),
        (#"{"type":"hello"}"#, "field_missing"),
        (#"{"type":"hello","session":"x"}"#, "session_not_uuid"),
        (#"{"type":"hello","session":5}"#, "wrong_type"),
        (
            #"{"type":"hello","session":"01234567-89ab-cdef-0123-456789abcdef","sentAt":"1"}"#,
            "wrong_type"
        ),
    ]

    @Test(arguments: bad)
    func `A bad object is refused with its reason`(text: String, code: String) {
        #expect(TextResult(text).items.first.map(Self.code) == code)
    }

    private static func code(_ item: TextResult.Item) -> String {
        guard case .refused(let code, _) = item else { return "accepted" }
        return code
    }

    @Test func `A refused object says its number, wherever it stands`() {
        #expect(
            TextResult(#"{"type":"control","seq":12,"action":"fly","timestamp":1763700000}"#).items
                == [.refused("control_unknown", sequence: 12)])
        #expect(
            TextResult(Self.motion + #","gyroscopeX":99,"seq":13}"#).items
                == [.refused("rotation_out_of_range", sequence: 13)])
    }

    @Test func `Bytes that are no UTF-8 are refused, wherever they stand`() {
        var decoder = TextDecoder()
        for bad in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]] {
            let value = Array(#"{"a":""#.utf8) + bad + Array(#""}"#.utf8)
            #expect(TextResult(value, &decoder).refusal == "not_utf8")
            let name = Array(#"{""#.utf8) + bad + Array(#"":1}"#.utf8)
            #expect(TextResult(name, &decoder).refusal == "not_utf8")
        }
    }

    @Test func `Brackets may nest a while and not for ever`() {
        let fine = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(TextResult(Self.motion + ",\"x\":\(fine)}").refusal == nil)
        let deep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        #expect(TextResult(Self.motion + ",\"x\":\(deep)}").refusal == "nested_too_deep")
        let bottomless = String(repeating: "{\"a\":", count: 10_000)
        #expect(TextResult(bottomless).refusal == "nested_too_deep")
    }

    @Test func `A marker's bytes are counted, not its characters`() {
        func marker(_ text: String) -> TextResult {
            TextResult(#"{"type":"marker","text":"\#(text)","timestamp":1763700000}"#)
        }
        #expect(marker(String(repeating: "é", count: 60)).payload != nil)
        #expect(marker(String(repeating: "é", count: 61)).refusal == "text_too_long")
    }

    @Test func `A recording's times may lie far away`() {
        let old = Self.motion.replacingAll("1763700000", with: "1000000000")
        let ahead = Self.motion.replacingAll("1763700000", with: "1900000000")
        #expect(TextResult(old + "}").refusal == nil)
        #expect(TextResult(ahead + "}").refusal == "device_time_out_of_range")
        #expect(TextResult(ahead + "}", recorded: true).refusal == nil)
    }

    /// Each decoded frame is valid, nothing traps, and the decoder continues to work.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `Flipped bytes are refused or mean something`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var decoder = TextDecoder()
        let lines =
            (Self.bad.map(\.text) + TextDecoderTests.good.map { "{\($0.text)}" }
            + [Self.motion + "}", "[{\(Self.location)},{\(Self.location)}]"]).map { Array($0.utf8) }
        let alphabet = Array("{}[]:,\"\\0123456789.eE+-tfnu \n\u{0}é".utf8) + [0xFF, 0xF0]
        for round in 0..<5000 {
            var line = lines[round % lines.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) where !line.isEmpty {
                let index = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line[index] = alphabet.randomElement(using: &random) ?? 0
                case 1: line.remove(at: index)
                default: line.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
                }
            }
            _ = TextResult(line, &decoder)
        }
        #expect(TextResult(Self.motion + "}", &decoder) == TextResult(Self.motion + "}"))
    }
}
