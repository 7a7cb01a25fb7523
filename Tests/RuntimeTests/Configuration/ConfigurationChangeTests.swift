import Runtime
import Testing

@Suite struct ConfigurationChangeTests {
    private static func effective(_ changes: [String: String]) -> [EffectiveValue] {
        var loader = ConfigurationLoader()
        for (key, value) in changes { loader.add(flag: "test", key: key, value: value) }
        return loader.load().effective
    }

    @Test func `A reload applies what it can and names what waits for a restart`() {
        let running = Self.effective([:])
        let fresh = Self.effective([
            "logging.level": "debug", "log.retention_age": "7d", "http.port": "8080",
        ])
        let change = ConfigurationChange(from: running, to: fresh)
        #expect(change.applied == ["logging.level", "log.retention_age"])
        #expect(change.waiting == ["http.port"])
    }

    @Test func `What waits is named again at the next reload, what was applied is not`() {
        let running = Self.effective([:])
        let fresh = Self.effective(["logging.level": "debug", "http.port": "8080"])
        let after = ConfigurationChange(from: running, to: fresh)
            .applied(to: running, from: fresh)
        let again = ConfigurationChange(from: after, to: fresh)
        #expect(again.applied == [])
        #expect(again.waiting == ["http.port"])
        #expect(ConfigurationChange(from: after, to: running).applied == ["logging.level"])
    }

    /// `PulsecastDaemon.take` applies exactly these keys: any other key marked reloadable would be
    /// reported as applied and change nothing.
    @Test func `Just the keys that a reload applies say so`() {
        let reloadable = ConfigurationSchema.entries.filter(\.reloadable).map(\.name)
        #expect(
            reloadable == [
                "tls.certificate", "tls.private_key", "logging.level", "log.retention_age",
                "log.retention_mebibytes",
            ])
    }

    @Test func `The same configuration changes nothing`() {
        let running = Self.effective(["http.port": "8080"])
        let change = ConfigurationChange(from: running, to: Self.effective(["http.port": "8080"]))
        #expect(change.applied == [] && change.waiting == [])
    }
}
