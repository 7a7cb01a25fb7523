import SensorModel
import Testing
import WireFormat

@Suite struct DaemonMessageTests {
    private static let session = SessionID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)

    static let messages: [(message: DaemonMessage, json: String)] = [
        (
            .welcome(
                session: session, acknowledged: .none, share: nil,
                serverTime: Timestamp(microseconds: 1_763_700_000_000_000)),
            #"{"type":"welcome","session":"01234567-89ab-cdef-0123-456789abcdef","acked":0,"#
                + #""serverTime":1763700000}"#
        ),
        (
            .welcome(
                session: session, acknowledged: FrameSequence(rawValue: .max), share: "run \"1\"",
                serverTime: Timestamp(microseconds: 1_763_700_000_012_300)),
            #"{"type":"welcome","session":"01234567-89ab-cdef-0123-456789abcdef","#
                + #""acked":4294967295,"share":"run \"1\"","serverTime":1763700000.0123}"#
        ),
        (
            .ack(sequence: FrameSequence(rawValue: 5), durable: true), #"{"type":"ack","seq":5}"#
        ),
        (
            .ack(sequence: FrameSequence(rawValue: 5), durable: false),
            #"{"type":"ack","seq":5,"durable":false}"#
        ),
        (
            .error(.tokenRefused), #"{"type":"error","code":4003,"reason":"token refused"}"#
        ),
        (
            .error(code: 4000, reason: "a\\\n\u{1}</script>é"),
            #"{"type":"error","code":4000,"reason":"a\\\n\u0001\u003c/script>é"}"#
        ),
        (.command("start"), #"{"command":"start"}"#),
        (.cheer(text: "Go! 🏃"), #"{"type":"cheer","text":"Go! 🏃"}"#),
    ]

    @Test(arguments: messages)
    func `A message is a line of JSON`(message: DaemonMessage, json: String) {
        var bytes: [UInt8] = []
        message.appendLine(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == json + "\n")
    }

    @Test(arguments: messages)
    func `A message is a binary frame`(message: DaemonMessage, json: String) throws {
        var bytes: [UInt8] = []
        message.appendBinary(at: BinaryFrameTests.time, to: &bytes)
        #expect(try BinaryFrame.byteCount(at: bytes.span) == bytes.count)
        let payload = String(decoding: bytes.dropFirst(16), as: UTF8.self)
        if case .ack(let sequence, let durable) = message {
            #expect(bytes[2] == 0x82)
            #expect(bytes[3] == (durable ? 0 : 1))
            #expect(bytes[4] == UInt8(sequence.rawValue))
            #expect(payload.isEmpty)
        } else {
            #expect([0x81, 0x83, 0x84].contains(bytes[2]))
            #expect(payload == json)
        }
    }

    @Test func `A reason of any length makes a frame`() throws {
        var bytes: [UInt8] = []
        DaemonMessage.error(code: 4000, reason: String(repeating: "x", count: 9000))
            .appendBinary(at: BinaryFrameTests.time, to: &bytes)
        #expect(try BinaryFrame.byteCount(at: bytes.span) == bytes.count)
    }

    @Test func `A refusal keeps the connection unless it closes it`() {
        #expect(
            DaemonMessage.error(.lineTooLong)
                == .error(code: 4013, reason: FrameRefusal.lineTooLong.description))
        #expect(
            DaemonMessage.error(.emptyText) == .error(code: 4000, reason: "the text is empty"))
    }
}
