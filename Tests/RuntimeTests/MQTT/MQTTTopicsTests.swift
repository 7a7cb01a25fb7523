import Testing

@testable import Runtime

@Suite struct MQTTTopicsTests {
    private static func topics(_ prefix: String = "pulsecast") -> MQTTTopics {
        var settings = Configuration.MQTT()
        settings.prefix = prefix
        return MQTTTopics(settings)
    }

    @Test func `A share's name becomes a part of topics that everybody takes`() {
        let topics = Self.topics("home/runs")
        let part = MQTTTopics.part("Jané:to work/+#")
        #expect(part == "Jan--to-work---")
        #expect(topics.state(part) == "home/runs/Jan--to-work---/state")
        #expect(topics.alert("sos", of: part) == "home/runs/Jan--to-work---/alert/sos")
        #expect(
            topics.discovery(part)
                == "homeassistant/device/home-runs_Jan--to-work---/config")
        #expect(topics.clientID == "pulsecast-home-runs")
    }

    @Test(arguments: [
        ("pulsecast/ann/state", "ann"), ("pulsecast//state", nil), ("pulsecast/state", nil),
        ("pulsecast/a/b/state", nil), ("pulsecast/Jané/state", nil), ("other/ann/state", nil),
        ("pulsecast/ann/status", nil),
    ])
    func `Only the daemon's own state topics are cleared`(topic: String, part: String?) {
        #expect(Self.topics().part(ofState: topic) == part)
    }

    @Test(arguments: [
        ("pulsecast/ann-lee/alert/sos", "ann-lee"), ("pulsecast/Ann/alert/sos", nil),
        ("pulsecast//alert/sos", nil), ("pulsecast/ann/alert", nil),
        ("pulsecast/ann/alert/sos/x", nil), ("pulsecast/Jané/alert/sos", nil),
        ("other/ann/alert/sos", nil), ("pulsecast/ann/state/sos", nil),
    ])
    func `Only the daemon's own topics of alerts are cleared`(topic: String, part: String?) {
        #expect(Self.topics().place(ofAlert: topic)?.part == part)
    }

    @Test func `Without a prefix for discoveries nothing is announced`() {
        var settings = Configuration.MQTT()
        settings.discoveryPrefix = ""
        #expect(MQTTTopics(settings).discovery("ann") == nil)
    }

    @Test(arguments: [
        ("shares", "ann, bob:home", true), ("shares", "a:b, a/b", false), ("shares", "???", false),
        ("alerts", "ann lee, bob", true), ("alerts", "ann lee,ann-lee", false),
        // An ID is a secret, and topics are not.
        ("shares", "AAAAAAAAAAAAAAAAAAAAAA", false), ("prefix", "a/b", true), ("prefix", "", false),
        ("prefix", "a/+", false), ("prefix", "$SYS", false), ("prefix", "/a", false),
        ("discovery_prefix", "", true), ("owntracks", "owntracks/a/b=ann", true),
        ("owntracks", "owntracks/#=ann", false), ("owntracks", "owntracks/a/b", false),
        ("owntracks", "t/a=ann,t/a=bob", false), ("owntracks", "t/a=", false),
    ])
    func `Topics are checked`(key: String, value: String, isAllowed: Bool) {
        var loader = ConfigurationLoader()
        loader.hasMQTT = true
        loader.add(environment: [
            "PULSECAST_MQTT_HOST": "h", "PULSECAST_MQTT_\(key.uppercased())": value,
        ])
        _ = loader.load()
        #expect(loader.errors.isEmpty == isAllowed, "\(loader.errors)")
    }

    @Test func `A program without a library says how it is built with one`() {
        var loader = ConfigurationLoader()
        loader.hasMQTT = false
        loader.add(yaml: "mqtt: {host: broker}", path: "f")
        _ = loader.load()
        let said = loader.errors.map(\.description)
        #expect(
            said.count == 1 && said[0].hasPrefix("mqtt.host: ") && said[0].contains("--traits MQTT")
        )
    }

    @Test(arguments: ["shares", "alerts"])
    func `Shares or alerts without a broker are a mistake`(key: String) {
        var loader = ConfigurationLoader()
        loader.add(yaml: "mqtt: {\(key): [ann]}", path: "f")
        _ = loader.load()
        #expect(
            loader.errors.map(\.description) == [
                "mqtt.host: the broker of mqtt.shares, mqtt.alerts and mqtt.owntracks is missing"
            ])
    }
}
