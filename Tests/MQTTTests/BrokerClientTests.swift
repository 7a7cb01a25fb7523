import MQTT
import Testing

@Suite struct BrokerClientTests {
    @Test func `Without a connection no message is taken, and nobody waits`() async {
        let client = BrokerClient(
            BrokerSettings(
                host: "127.0.0.1", port: 1, clientID: "c", statusTopic: "s", ownTopics: ["o"],
                topics: []), clock: { 0 })
        #expect(await client.deliver(BrokerMessage(topic: "t", payload: [1])) == false)
        #expect(!client.isConnected)
    }
}
