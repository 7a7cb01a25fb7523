import SensorModel
import Testing
import WireFormat

@Suite struct TextDecoderTests {
    static let motion =
        #"{"accelerometerX":0.5,"accelerometerY":-0.25,"accelerometerZ":1.0009765625,"#
        + #""gyroscopeX":0.1,"gyroscopeY":-2,"gyroscopeZ":3e0,"timestamp":1763700000.123456"#

    @Test func `Motion of the watch is kept with all its digits`() throws {
        let result = TextResult(Self.motion + #","heartRate":152.04,"seq":17}"#)
        guard case .frame(let frame, false) = try #require(result.items.first) else {
            Issue.record("\(result)")
            return
        }
        #expect(frame.sequence.rawValue == 17)
        #expect(frame.deviceTime.microseconds == 1_763_700_000_123_456)
        #expect(
            frame.payload
                == .motion(
                    MotionBatch(
                        traits: .hasRotation, intervalMicroseconds: 0,
                        samples: [
                            MotionSample(
                                acceleration: SIMD3(0.5, -0.25, 1.0009765625),
                                rotation: SIMD3(0.1, -2, 3))
                        ], heartRate: 152.0)))
    }

    @Test(arguments: [
        "", #","type":"motion""#, #","unknown":{"a":[1,{"b":null}],"c":"\u00e9"}"#,
        #","accelerometerX":9,"accelerometerX":0.5"#, #","gravityIncluded":false"#,
    ])
    func `What is not needed changes nothing`(addition: String) {
        #expect(TextResult(Self.motion + addition + "}") == TextResult(Self.motion + "}"))
    }

    @Test func `Space between the parts changes nothing`() {
        let spaced = Self.motion.replacingAll(",", with: " ,\r\n\t ").replacingAll(
            ":", with: " : ")
        #expect(TextResult(" \t" + spaced + " }\r") == TextResult(Self.motion + "}"))
        #expect(TextResult("[" + Self.motion + "}]") == TextResult(Self.motion + "}"))
    }

    @Test func `Escapes in names and values count as what they say`() {
        let escaped = Self.motion.replacingAll("timestamp", with: #"t\u0069mestamp"#)
        #expect(TextResult(escaped + "}") == TextResult(Self.motion + "}"))
    }

    @Test(arguments: ["19.9", "250.1", "null", "\"150\"", "true", "1e400", "-60", "[150]", "{}"])
    func `A bad heart rate goes and the motion stays`(value: String) throws {
        let result = TextResult(Self.motion + #","heartRate":\#(value)}"#)
        guard case .frame(let frame, true) = try #require(result.items.first),
            case .motion(let batch) = frame.payload
        else {
            Issue.record("\(result)")
            return
        }
        #expect(batch.heartRate == nil)
    }

    static let good: [(text: String, payload: Frame.Payload)] = [
        (#""type":"control","action":"cancelAlert""#, .control(.cancelAlert)),
        (#""type":"control","action":"sos""#, .control(.sos)),
        (#""type":"pressure","hectopascals":1013.25"#, .pressure(hectopascals: 1013.25)),
        (
            #""type":"status","battery":0.756,"charging":true"#,
            .status(DeviceStatus(batteryPercent: 76, charging: true))
        ),
        (
            #""type":"status","battery":0"#,
            .status(DeviceStatus(batteryPercent: 0, charging: false))
        ),
        (#""type":"marker","text":"km \u0035 \ud83c\udfc3\n""#, .marker("km 5 🏃 ")),
        (#""type":"marker","text":"\u202eevil\u0000""#, .marker("evil")),
        (#""type":"source","source":"strap""#, .source("strap")),
        (
            #""type":"foreign","format":"fit","data":"00fFA9""#,
            .foreign(ForeignMessages(format: .fit, bytes: [0, 255, 169]))
        ),
    ]

    @Test(arguments: MeasuredValues.Quantity.allCases)
    func `Each measured quantity has a field, with the sensor's name and place`(
        quantity: MeasuredValues.Quantity
    ) throws {
        let text = #"{"type":"measured","\#(quantity.name)":1.5,"source":"pod\u0007","#
        for (placement, place) in [("foot", MeasuredValues.Placement.foot), ("moon", nil)] {
            var values = MeasuredValues(source: "pod", placement: place)
            try values.set(quantity, to: 1.5)
            let result = TextResult(text + #""placement":"\#(placement)","timestamp":1763700000}"#)
            #expect(result.payload == .measured(values))
        }
    }

    @Test(arguments: good)
    func `Every kind is read`(text: String, payload: Frame.Payload) {
        #expect(TextResult("{\(text),\"timestamp\":1763700000}").payload == payload)
    }

    @Test func `A location's negative values are unknown ones`() throws {
        let result = TextResult(
            #"{"type":"location","latitude":48.12345678,"longitude":-11.5,"altitude":510.127,"#
                + #""horizontalAccuracy":4.14,"verticalAccuracy":-1,"speed":-1,"course":-1,"#
                + #""timestamp":1763700000}"#)
        #expect(
            result.payload
                == .location(
                    try Location(
                        latitude: 48.1234568, longitude: -11.5, altitude: 510.13,
                        horizontalAccuracy: 4.1)))
    }

    @Test func `A heart rate's source comes in front of it, when it is new`() throws {
        var decoder = TextDecoder()
        let line =
            #"{"type":"heartRate","heartRate":61.24,"contact":true,"rrSeconds":[0.5, 1],"#
            + #""source":"strap","seq":4,"timestamp":1763700000}"#
        let sample = try HeartRateSample(
            beatsPerMinute: 61.2, contact: .on, rrIntervals: [512, 1024])
        let time = Timestamp(microseconds: 1_763_700_000_000_000)
        let heartRate = TextResult.Item.frame(
            Frame(
                sequence: FrameSequence(rawValue: 4), deviceTime: time,
                payload: .heartRate(sample)), heartRateDropped: false)
        let source = TextResult.Item.frame(
            Frame(sequence: .none, deviceTime: time, payload: .source("strap")),
            heartRateDropped: false)
        #expect(TextResult(line, &decoder).items == [source, heartRate])
        #expect(TextResult(line, &decoder).items == [heartRate])
    }

    @Test func `A text that is begun again gives the same frames again`() throws {
        let line = Array(
            (#"[{"type":"heartRate","heartRate":60,"source":"a","timestamp":1763700000},"#
                + #"{"type":"heartRate","heartRate":61,"source":"b","timestamp":1763700001}]"#).utf8
        )
        var fresh = TextDecoder()
        let all = TextResult(line, &fresh)
        #expect(all.items.count == 4)
        for taken in 1...4 {
            var decoder = TextDecoder()
            var payload: [UInt8] = []
            decoder.begin()
            for _ in 0..<taken {
                _ = try decoder.next(
                    in: line.span, payload: &payload, arrivalTime: BinaryFrameTests.arrival,
                    recorded: false)
            }
            #expect(TextResult(line, &decoder) == all)
            // After a complete read, the sources are known.
            #expect(TextResult(line, &decoder).items.count == 4)
            let last =
                #"{"type":"heartRate","heartRate":9.5e1,"source":"b","timestamp":1763700001}"#
            #expect(TextResult(last, &decoder).items.count == 1)
        }
    }

    @Test(arguments: [
        "2025-11-21T04:40:00Z", "2025-11-21T05:40:00.000+01:00", "2025-11-20t23:10:00-0530",
        "2025-11-21 04:40:00,000000000Z", "2025-11-21T04:40:00+00",
    ])
    func `The form with bpm has its end's time`(end: String) throws {
        for type in ["", #""type":"heartRate","#] {
            let result = TextResult(
                #"{\#(type)"bpm":150,"start":"2025-11-21T04:39:55Z","end":"\#(end)"}"#)
            guard case .frame(let frame, _) = try #require(result.items.first) else {
                Issue.record("\(result)")
                return
            }
            #expect(frame.deviceTime.microseconds == 1_763_700_000_000_000)
            #expect(frame.payload == .heartRate(try HeartRateSample(beatsPerMinute: 150)))
        }
    }

    @Test func `An array is its objects, and a bad one does not take the others along`() {
        let text =
            "[" + Self.motion + #","seq":1}, 5, {"seq":2,"type":"nonsense"},"#
            + Self.motion + #","seq":3},{"seq":4},[{}] ]"#
        let items = TextResult(text).items
        #expect(items.count == 6)
        #expect(items[1] == .refused("not_an_object", sequence: 0))
        #expect(items[2] == .refused("unknown_type", sequence: 2))
        #expect(items[4] == .refused("field_missing", sequence: 4))
        #expect(items[5] == .refused("not_an_object", sequence: 0))
        guard case .frame(let frame, _) = items[3] else {
            Issue.record("\(items)")
            return
        }
        #expect(frame.sequence.rawValue == 3)
    }

    @Test(arguments: ["", " ", "[]", "[ ]\r"])
    func `Nothing is no frame and no error`(text: String) {
        #expect(TextResult(text).items.isEmpty)
    }

    @Test func `A hello says who sends, and its digits stay as they stood`() {
        let session = SessionID("01234567-89ab-cdef-0123-456789abcdef")
        let text =
            #"{"type":"hello","token":"t\u002F\"x","session":"01234567-89AB-cdef-0123-456789abcdef","#
            + #""sentAt":1763700000.1230,"recorded":true,"device":"watch","proof":"ab12"}"#
        let expected = session.map {
            Hello(
                token: "t/\"x", proof: "ab12", device: "watch", session: $0,
                sessionText: "01234567-89AB-cdef-0123-456789abcdef",
                sentAt: 1_763_700_000.123, sentAtText: "1763700000.1230", recorded: true)
        }
        #expect(TextResult(text).items == [expected.map { .hello($0) }])
        let counted = text.replacingAll("{", with: #"{"seq":0,"#)
        #expect(TextResult(counted).items == [expected.map { .hello($0) }])
        let bytes = Array(text.utf8)
        #expect((try? TextDecoder.hello(in: bytes.span)) == expected)
        let untyped = Array(text.replacing(#""type":"hello","#, with: "").utf8)
        #expect((try? TextDecoder.hello(in: untyped.span)) == expected)
    }
}

extension String {
    func replacingAll(_ part: String, with other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
