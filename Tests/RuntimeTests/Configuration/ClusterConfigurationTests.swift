import Testing

@testable import Runtime

@Suite struct ClusterConfigurationTests {
    @Test(arguments: [
        ("urls: [nats://a:4222]", ["cluster.node"]),
        ("node: one", ["cluster.urls"]),
        ("urls: [nats://a:4222]\n  node: one", []),
        ("urls: [nats://a:4222]\n  node: one\nlog:\n  durability: interval", ["log.durability"]),
        ("urls: []\nlog:\n  durability: os", []),
    ])
    func `A node has servers and a name, and acknowledges what is safe`(
        text: String, wrong: [String]
    ) {
        var loader = ConfigurationLoader()
        loader.hasNATS = true
        loader.add(yaml: "cluster:\n  \(text)\n", path: "f")
        _ = loader.load()
        let keys = loader.errors.map { error in
            if case .contradiction(let key, _) = error { key } else { "\(error)" }
        }
        #expect(keys == wrong)
    }

    @Test(arguments: [
        ("urls", "nats://a.example.org:4222, tls://10.0.0.1:1,nats://[::1]:65535", true),
        ("urls", "nats://a", false), ("urls", "nats://:4222", false),
        ("urls", "http://a:4222", false), ("urls", "nats://a:0", false),
        ("urls", "nats://a:65536", false), ("urls", "nats://a:+1", false),
        ("urls", "nats://::1:4222", false), ("urls", "nats://user:word@a:4222", false),
        ("urls", "nats://a:4222/", false),
        ("urls", Array(repeating: "nats://a:1", count: 16).joined(separator: ","), true),
        ("urls", Array(repeating: "nats://a:1", count: 17).joined(separator: ","), false),
        ("name", "Race-2", true), ("name", "", false), ("name", "a.b", false),
        ("name", "a b", false), ("name", "ü", false),
        ("name", String(repeating: "a", count: 32), true),
        ("name", String(repeating: "a", count: 33), false),
        ("node", "one-1", true), ("node", "One", false), ("node", "a*", false),
        ("replicas", "6", false), ("replicas", "5", true),
        ("stream_mebibytes", "63", false), ("stream_minutes", "9", false),
    ])
    func `Names and addresses have the form that NATS takes`(
        key: String, text: String, isAllowed: Bool
    ) throws {
        let entry = try #require(ConfigurationSchema.entry(named: "cluster.\(key)"))
        var configuration = Configuration()
        #expect(entry.apply(&configuration, text) == isAllowed)
    }

    @Test func `A program without the library says how it is built with it`() {
        var loader = ConfigurationLoader()
        loader.hasNATS = false
        loader.add(yaml: "cluster: {urls: ['nats://a:4222'], node: one}", path: "f")
        _ = loader.load()
        let said = loader.errors.map(\.description)
        #expect(
            said.count == 1 && said[0].hasPrefix("cluster.urls: ")
                && said[0].contains("--traits NATS"))
    }

    @Test func `The stream is measured in bytes and seconds`() throws {
        var configuration = Configuration()
        for (key, text) in [("stream_mebibytes", "64"), ("stream_minutes", "10")] {
            let entry = try #require(ConfigurationSchema.entry(named: "cluster.\(key)"))
            #expect(entry.apply(&configuration, text))
        }
        #expect(configuration.cluster.streamBytes == 67_108_864)
        #expect(configuration.cluster.streamSeconds == 600)
    }
}
