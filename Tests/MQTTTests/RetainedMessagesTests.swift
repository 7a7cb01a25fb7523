import Testing

@testable import MQTT

@Suite struct RetainedMessagesTests {
    private static func message(
        _ topic: String, _ text: String, seconds: Int? = nil
    ) -> BrokerMessage {
        BrokerMessage(topic: topic, payload: Array(text.utf8), secondsKept: seconds)
    }

    private static func sent(_ messages: inout RetainedMessages) -> [String] {
        var sent: [String] = []
        while let next = messages.takeNext() {
            sent.append(next.topic + "=" + String(decoding: next.payload, as: UTF8.self))
        }
        return sent
    }

    @Test func `A message is sent once, and again when it differs`() {
        var messages = RetainedMessages()
        messages.put(Self.message("a", "1"), at: 0)
        messages.put(Self.message("b", "1"), at: 0)
        #expect(Self.sent(&messages) == ["a=1", "b=1"])
        messages.put(Self.message("a", "1"), at: 1)
        messages.put(Self.message("b", "2"), at: 1)
        #expect(Self.sent(&messages) == ["b=2"])
    }

    @Test func `A slow broker gets the newest message of a topic only`() {
        var messages = RetainedMessages()
        for number in 0..<1000 {
            messages.put(Self.message("a", "\(number)"), at: Double(number))
        }
        messages.put(Self.message("a", ""), at: 1000)
        #expect(Self.sent(&messages) == ["a="])
    }

    @Test func `A message that the broker forgets is renewed at half of its time`() {
        var messages = RetainedMessages()
        messages.put(Self.message("a", "1", seconds: 600), at: 0)
        #expect(Self.sent(&messages) == ["a=1"])
        messages.put(Self.message("a", "1", seconds: 600), at: 299)
        #expect(Self.sent(&messages) == [])
        messages.put(Self.message("a", "1", seconds: 600), at: 300)
        #expect(Self.sent(&messages) == ["a=1"])
        messages.put(Self.message("a", "1", seconds: 600), at: 599)
        #expect(Self.sent(&messages) == [])
    }

    @Test func `A new connection gets nothing of an earlier one, and everything that is put then`()
    {
        var messages = RetainedMessages()
        messages.put(Self.message("a", "old"), at: 0)
        messages.removeAll()
        #expect(Self.sent(&messages) == [])
        messages.put(Self.message("a", "old"), at: 1)
        #expect(Self.sent(&messages) == ["a=old"])
    }

    @Test func `Foreign topics cannot fill the memory`() {
        var messages = RetainedMessages()
        for number in 0..<2 * RetainedMessages.topicsMax {
            messages.put(Self.message("\(number)", ""), at: 0)
        }
        #expect(Self.sent(&messages).count == RetainedMessages.topicsMax)
        messages.put(Self.message("0", "known"), at: 1)
        #expect(Self.sent(&messages) == ["0=known"])
    }

    @Test func `Foreign topics that are cleared leave room for the daemon's own`() {
        var messages = RetainedMessages()
        for number in 0..<2 * RetainedMessages.topicsMax {
            messages.put(Self.message("\(number)", ""), at: 0, isForeign: true)
        }
        messages.put(Self.message("own", "1"), at: 0)
        let sent = Self.sent(&messages)
        #expect(sent.count == RetainedMessages.foreignMax + 1 && sent.last == "own=1")
    }
}
