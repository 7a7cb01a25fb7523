/// Differences between the running configuration and a new one.
public struct ConfigurationChange: Hashable, Sendable {
    /// Keys applied by a reload, in the order of the schema.
    public let applied: [String]
    /// Keys whose new value requires a restart.
    public let waiting: [String]

    /// - Parameters:
    ///   - running: Effective values at the start, with the changes of reloads since.
    ///   - fresh: Effective values of the new configuration.
    public init(from running: [EffectiveValue], to fresh: [EffectiveValue]) {
        let before = Dictionary(running.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
        let changed = fresh.filter { before[$0.key] != $0.text }.map(\.key)
        let reloadable = Set(ConfigurationSchema.entries.filter(\.reloadable).map(\.name))
        applied = changed.filter(reloadable.contains)
        waiting = changed.filter { !reloadable.contains($0) }
    }

    /// `running` with the applied keys from `fresh`; keys that require a restart are unchanged.
    public func applied(
        to running: [EffectiveValue], from fresh: [EffectiveValue]
    ) -> [EffectiveValue] {
        let taken = Set(applied)
        let values = Dictionary(fresh.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        return running.map { taken.contains($0.key) ? values[$0.key] ?? $0 : $0 }
    }
}

/// A configuration without errors, and the origin of each value.
public struct LoadedConfiguration: Sendable {
    public let configuration: Configuration
    public let effective: [EffectiveValue]

    /// - Throws: ``ConfigurationErrors`` with all errors.
    public init(_ loader: ConfigurationLoader) throws(ConfigurationErrors) {
        var loader = loader
        (configuration, effective) = loader.load()
        guard loader.errors.isEmpty else { throw ConfigurationErrors(all: loader.errors) }
    }
}

/// All errors of a configuration, one line each.
public struct ConfigurationErrors: Error, CustomStringConvertible {
    public let all: [ConfigurationError]

    public var description: String { all.map(\.description).joined(separator: "\n") }
}
