import MQTT
import NATS
import Yams

/// Merges values by precedence (flags, environment, file, defaults) and records the origin of each
/// value.
public struct ConfigurationLoader: Sendable {
    /// Unchecked values as text, by key.
    private var values: [String: (text: String, origin: ConfigurationOrigin)] = [:]
    public private(set) var errors: [ConfigurationError] = []
    /// Whether the program can connect to an MQTT broker.
    var hasMQTT = BrokerClient.isBuilt
    /// Whether the program can be a node of a cluster.
    var hasNATS = NATSStream.isBuilt

    public static let defaultFile = "/etc/pulsecast/pulsecast.yaml"

    /// The only line of a file outside of the sections; a file without it has format 1.
    static let formatKey = "format"
    package static let format = 1

    public init() {}

    /// - Parameters:
    ///   - text: YAML; two levels, `section:` then `key: value`.
    ///   - path: The file's name, for messages.
    public mutating func add(yaml text: String, path: String) {
        do {
            guard let root = try Yams.compose(yaml: text) else { return }
            add(root: root, path: path)
        } catch {
            errors.append(.notYAML(file: path, reason: Self.oneLine("\(error)")))
        }
    }

    public mutating func add(environment: [String: String]) {
        for entry in ConfigurationSchema.entries {
            guard let text = environment[entry.environmentName] else { continue }
            values[entry.name] = (text, .environment(entry.environmentName))
        }
        let known = Set(ConfigurationSchema.entries.map(\.environmentName))
        for name in environment.keys.sorted()
        where name.hasPrefix("PULSECAST_") && !known.contains(name) && !Self.ours.contains(name) {
            errors.append(
                .unknownKey(
                    name, origin: .environment(name),
                    suggestion: Suggestion.nearest(to: name, in: known)))
        }
    }

    /// Variables with the same prefix that are not settings; this one selects the long test run.
    private static let ours: Set<String> = ["PULSECAST_LONG"]

    public mutating func add(flag: String, key: String, value: String) {
        precondition(ConfigurationSchema.entry(named: key) != nil, "no key \(key)")
        values[key] = (value, .flag(flag))
    }

    /// The configuration, with the effective text and origin of every key.
    ///
    /// All errors are in ``errors``; the configuration then has defaults in their places.
    public mutating func load() -> (configuration: Configuration, effective: [EffectiveValue]) {
        var configuration = Configuration()
        var effective: [EffectiveValue] = []
        for entry in ConfigurationSchema.entries {
            let given = values[entry.name]
            let text = given?.text ?? entry.defaultText
            let origin = given?.origin ?? .builtIn
            if !entry.apply(&configuration, text) {
                errors.append(
                    .notAllowed(
                        key: entry.name, value: text, origin: origin, allowed: entry.allowed))
            }
            effective.append(EffectiveValue(key: entry.name, text: text, origin: origin))
        }
        errors += contradictions(in: configuration)
        return (configuration, effective)
    }

    private mutating func add(root: Node, path: String) {
        guard let sections = root.mapping else {
            errors.append(.notYAML(file: path, reason: "it should have sections with keys"))
            return
        }
        for (sectionNode, keys) in sections {
            let section = sectionNode.string ?? ""
            if section == Self.formatKey {
                check(format: keys.string ?? "", path: path)
                continue
            }
            guard let keys = keys.mapping else {
                if keys.string?.isEmpty ?? false { continue }
                errors.append(unknown(section, path: path))
                continue
            }
            for (keyNode, valueNode) in keys {
                add(key: "\(section).\(keyNode.string ?? "")", value: valueNode, path: path)
            }
        }
    }

    private mutating func check(format text: String, path: String) {
        guard let version = Int(text), version > 0 else {
            errors.append(
                .notAllowed(
                    key: Self.formatKey, value: text, origin: .file(path),
                    allowed: "the number \(Self.format)"))
            return
        }
        guard version > Self.format else { return }
        errors.append(.newerFormat(file: path, version: version, versionKnown: Self.format))
    }

    private mutating func add(key: String, value: Node, path: String) {
        guard let entry = ConfigurationSchema.entry(named: key) else {
            errors.append(unknown(key, path: path))
            return
        }
        if let text = value.string {
            values[key] = (text == "~" || text == "null" ? "" : text, .file(path))
        } else if let items = value.sequence {
            values[key] = (items.compactMap(\.string).joined(separator: ","), .file(path))
        } else {
            errors.append(
                .notAllowed(
                    key: key, value: "a mapping", origin: .file(path), allowed: entry.allowed))
        }
    }

    private func unknown(_ key: String, path: String) -> ConfigurationError {
        .unknownKey(
            key, origin: .file(path),
            suggestion: Suggestion.nearest(to: key, in: ConfigurationSchema.entries.map(\.name)))
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// One row of `check-config --print`.
public struct EffectiveValue: Hashable, Sendable {
    public let key: String
    public let text: String
    public let origin: ConfigurationOrigin
}
