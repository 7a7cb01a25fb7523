import Testing

@testable import Runtime

/// The schema, source of the example file, compared with the configuration that it fills.
@Suite struct ConfigurationSchemaTests {
    /// Sample values: for each key, one of them is valid and not the default.
    private static let values = [
        "1", "2", "20", "100", "1000", "20000", "100000", "2000000", "5s", "20s", "30d", "true",
        "interval", "debug", "https://run.example.org", "https://run.example.org/{z}/{x}/{y}.png",
        "10.0.0.1", "/a/file", "topic=device", "nats://10.0.0.1:4222",
    ]

    /// Metrics are read on loopback or behind a proxy, so that listener has no TLS.
    private static let withoutKey: Set<String> = ["operations.tls"]

    @Test func `Every key sets one property, and every property has one key`() {
        let defaults = Self.leaves(of: Configuration())
        var keys: [String: [String]] = [:]
        for entry in ConfigurationSchema.entries {
            let changed = Self.values.lazy.compactMap { value -> [String]? in
                var configuration = Configuration()
                guard entry.apply(&configuration, value) else { return nil }
                let leaves = Self.leaves(of: configuration)
                let changed = leaves.keys.filter { leaves[$0] != defaults[$0] }
                return changed.isEmpty ? nil : changed
            }.first
            #expect(changed?.count == 1, "\(entry.name) changes \(changed ?? [])")
            for property in changed ?? [] { keys[property, default: []].append(entry.name) }
        }
        for property in defaults.keys.sorted() where !Self.withoutKey.contains(property) {
            #expect(keys[property]?.count == 1, "\(property) has the keys \(keys[property] ?? [])")
        }
    }

    @Test(arguments: ConfigurationSchema.entries.map(\.name))
    func `A key's slip of the pen is answered with the key`(name: String) {
        let parts = name.split(separator: ".")
        let slip = parts[1].dropLast() + "_"
        var loader = ConfigurationLoader()
        loader.add(yaml: "\(parts[0]): {\(slip): 1}", path: "f")
        let said = loader.errors.map(\.description)
        #expect(said.count == 1 && said[0].contains("did you mean \(name)?"), "\(said)")
    }

    /// Scalar values by their path.
    private static func leaves(of value: Any, path: String = "") -> [String: String] {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .struct, !mirror.children.isEmpty else {
            return [path: String(describing: value)]
        }
        var found: [String: String] = [:]
        for (label, child) in mirror.children {
            let name = path.isEmpty ? label ?? "" : path + "." + (label ?? "")
            found.merge(leaves(of: child, path: name)) { first, _ in first }
        }
        return found
    }
}
