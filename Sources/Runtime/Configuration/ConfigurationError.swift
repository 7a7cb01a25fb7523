/// An error in a configuration; each case holds the key and the allowed values.
public enum ConfigurationError: Error, Hashable, Sendable {
    case missing(file: String)
    case unreadable(file: String, reason: String)
    case notYAML(file: String, reason: String)
    /// The file was written for a later version of the daemon.
    case newerFormat(file: String, version: Int, versionKnown: Int)
    case unknownKey(String, origin: ConfigurationOrigin, suggestion: String?)
    case notAllowed(key: String, value: String, origin: ConfigurationOrigin, allowed: String)
    case contradiction(key: String, reason: String)
}

/// Origin of a value; later cases outrank earlier ones.
public enum ConfigurationOrigin: Hashable, Sendable {
    case builtIn
    case file(String)
    case environment(String)
    case flag(String)
}

extension ConfigurationOrigin: CustomStringConvertible {
    public var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path): path
        case .environment(let name): "environment \(name)"
        case .flag(let name): name
        }
    }
}

extension ConfigurationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let file):
            "there is no configuration \(file): name another file with --config, or make it with"
                + " pulsecast check-config --example"
        case .unreadable(let file, let reason):
            "cannot read the configuration \(file): \(reason); check the path and its permissions"
        case .notYAML(let file, let reason):
            "\(file) is not YAML that can be read: \(reason)"
        case .newerFormat(let file, let version, let known):
            "\(file) has format \(version), this pulsecast reads up to \(known): "
                + "install the newer daemon, or put the file back from before the upgrade"
        case .unknownKey(let key, let origin, let suggestion):
            "\(origin): there is no key \(key)"
                + (suggestion.map { "; did you mean \($0)?" } ?? "; see the example file for all")
        case .notAllowed(let key, let value, let origin, let allowed):
            "\(origin): \(key) is \"\(value)\", allowed is \(allowed)"
        case .contradiction(let key, let reason):
            "\(key): \(reason)"
        }
    }
}
