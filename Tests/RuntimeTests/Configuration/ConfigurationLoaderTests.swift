import Testing

@testable import Runtime

@Suite struct ConfigurationLoaderTests {
    @Test func `Nothing at all is a working configuration on loopback`() {
        var loader = ConfigurationLoader()
        let (configuration, effective) = loader.load()
        #expect(loader.errors == [])
        #expect(configuration == Configuration())
        #expect(configuration.device.port == 7420)
        #expect(effective.allSatisfy { $0.origin == .builtIn })
    }

    @Test func `A flag outranks the environment, which outranks the file`() {
        var loader = ConfigurationLoader()
        loader.add(yaml: "device: {port: 1}\nhttp: {port: 2}\noperations: {port: 3}", path: "f")
        loader.add(environment: ["PULSECAST_HTTP_PORT": "20", "PULSECAST_OPERATIONS_PORT": "30"])
        loader.add(flag: "--operations-port", key: "operations.port", value: "300")
        let configuration = loader.load().configuration
        #expect(loader.errors == [])
        #expect(configuration.device.port == 1)
        #expect(configuration.httpListener.port == 20)
        #expect(configuration.operations.port == 300)
    }

    @Test(arguments: [
        ("device: {prot: 1}", "f: there is no key device.prot; did you mean device.port?"),
        ("format: one", "f: format is \"one\", allowed is the number 1"),
        (
            "format: 2",
            "f has format 2, this pulsecast reads up to 1: "
                + "install the newer daemon, or put the file back from before the upgrade"
        ),
        ("nothing: {at: all}", "f: there is no key nothing.at; see the example file for all"),
        (
            "device: {port: 65536}",
            "f: device.port is \"65536\", allowed is a whole number of port, 0 to 65535"
        ),
        (
            "http: {host: 0.0.0.0, echo: true}",
            "http.echo: only allowed while http.host is loopback, and it is 0.0.0.0"
        ),
        (
            "tls: {certificate: /a.pem}",
            "tls.private_key: a certificate and its key are set together; set this one too"
        ),
    ])
    func `A mistake is named with its place and what would be right`(yaml: String, said: String) {
        var loader = ConfigurationLoader()
        loader.add(yaml: yaml, path: "f")
        _ = loader.load()
        #expect(loader.errors.map(\.description) == [said])
    }

    @Test func `A misspelled variable is an error with a suggestion`() {
        var loader = ConfigurationLoader()
        loader.add(environment: ["PULSECAST_DEVICE_PROT": "1"])
        let said = loader.errors.map(\.description)
        #expect(
            said == [
                "environment PULSECAST_DEVICE_PROT: there is no key PULSECAST_DEVICE_PROT;"
                    + " did you mean PULSECAST_DEVICE_PORT?"
            ])
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (64, 4)])
    func `There is an event loop for each processor but one, up to four`(
        processors: Int, loops: Int
    ) {
        #expect(Configuration.eventLoops(processors: processors) == loops)
    }

    @Test func `A number of event loops stands whatever the processors`() {
        var loader = ConfigurationLoader()
        loader.add(yaml: "limits: {event_loops: 13}", path: "f")
        #expect(loader.load().configuration.eventLoops == 13)
        loader.add(flag: "f", key: "limits.event_loops", value: "auto")
        #expect(
            loader.load().configuration.eventLoops
                == Configuration.eventLoops(processors: Processors.count))
        loader.add(flag: "f", key: "limits.event_loops", value: "17")
        _ = loader.load()
        #expect(loader.errors.count == 1)
    }

    @Test func `Every default is allowed by its own rule`() {
        for entry in ConfigurationSchema.entries {
            var configuration = Configuration()
            #expect(entry.apply(&configuration, entry.defaultText), "\(entry.name)")
            #expect(configuration == Configuration(), "\(entry.name) has two defaults")
        }
    }

    @Test func `Broken YAML is refused with the file's name`() {
        var loader = ConfigurationLoader()
        loader.add(yaml: "a: [", path: "broken.yaml")
        #expect(loader.errors.count == 1)
        #expect(loader.errors.first?.description.hasPrefix("broken.yaml is not YAML") == true)
    }

    @Test(arguments: [
        ("250ms", 0.25), ("1s", 1), ("5m", 300), ("24h", 86_400), ("7d", 604_800), ("0s", 0),
    ])
    func `Durations are read as people type them`(text: String, seconds: Double) {
        #expect(DurationText.seconds(text) == seconds)
    }

    @Test(arguments: ["", "5", "m", "-1s", "1e3s", "nans", "1 s"])
    func `What is not a duration is refused`(text: String) {
        #expect(DurationText.seconds(text) == nil)
    }
}
