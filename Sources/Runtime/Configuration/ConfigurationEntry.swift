/// One key of the configuration: notation, meaning and target property.
public struct ConfigurationEntry: Sendable {
    /// `section.key`, as in the file.
    public let name: String
    public let meaning: String
    /// Allowed values in words; part of every error message.
    public let allowed: String
    public let defaultText: String
    /// Whether a reload applies it; otherwise it needs a restart.
    public let reloadable: Bool
    /// Sets the value; `false` when the text is not allowed.
    package let apply: @Sendable (inout Configuration, String) -> Bool

    public var environmentName: String {
        "PULSECAST_" + name.map { $0 == "." ? "_" : String($0).uppercased() }.joined()
    }

    public var section: String { String(name.prefix { $0 != "." }) }
    public var key: String { String(name.drop { $0 != "." }.dropFirst()) }
}

extension ConfigurationEntry {
    package typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    package static func text(
        _ name: String, _ place: Place<String>, _ meaning: String, allowed: String = "text",
        default text: String = "", reloadable: Bool = false,
        where isAllowed: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Self {
        Self(
            name: name, meaning: meaning, allowed: allowed, defaultText: text,
            reloadable: reloadable
        ) { configuration, value in
            guard isAllowed(value) else { return false }
            configuration[keyPath: place] = value
            return true
        }
    }

    package static func list(
        _ name: String, _ place: Place<[String]>, _ meaning: String, allowed: String,
        reloadable: Bool = false,
        where isAllowed: @escaping @Sendable ([String]) -> Bool = { _ in true }
    ) -> Self {
        Self(
            name: name, meaning: meaning, allowed: allowed, defaultText: "", reloadable: reloadable
        ) { configuration, value in
            let items = value.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
            guard isAllowed(items) else { return false }
            configuration[keyPath: place] = items
            return true
        }
    }

    package static func integer(
        _ name: String, _ place: Place<Int>, _ range: ClosedRange<Int>, _ meaning: String,
        unit: String, default value: Int, scale: Int = 1, reloadable: Bool = false
    ) -> Self {
        Self(
            name: name, meaning: meaning,
            allowed: "a whole number of \(unit), \(range.lowerBound) to \(range.upperBound)",
            defaultText: String(value), reloadable: reloadable
        ) { configuration, text in
            guard let number = Int(text), range.contains(number) else { return false }
            configuration[keyPath: place] = number * scale
            return true
        }
    }

    package static func boolean(
        _ name: String, _ place: Place<Bool>, _ meaning: String, reloadable: Bool = false
    ) -> Self {
        Self(
            name: name, meaning: meaning, allowed: "true or false", defaultText: "false",
            reloadable: reloadable
        ) { configuration, text in
            guard let value = Bool(text) else { return false }
            configuration[keyPath: place] = value
            return true
        }
    }

    package static func duration(
        _ name: String, _ place: Place<Double>, _ range: ClosedRange<Double>, _ meaning: String,
        default text: String, reloadable: Bool = false
    ) -> Self {
        let lowest = DurationText.text(seconds: range.lowerBound)
        let highest = DurationText.text(seconds: range.upperBound)
        return Self(
            name: name, meaning: meaning,
            allowed: "a duration as 1s, 5m, 24h or 7d, \(lowest) to \(highest)",
            defaultText: text, reloadable: reloadable
        ) { configuration, text in
            guard let seconds = DurationText.seconds(text), range.contains(seconds) else {
                return false
            }
            configuration[keyPath: place] = seconds
            return true
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(separator: " ").joined(separator: " ")
    }
}
