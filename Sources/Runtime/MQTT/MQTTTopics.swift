import SensorModel

/// Topics at the MQTT broker, made of the configuration.
///
///     PREFIX/status                    online, offline
///     PREFIX/SHARE/state               what a share shows
///     PREFIX/DEVICE/alert/KIND         an alert of a device, whose name is in small letters
///     DISCOVERY/device/ID/config       the share as a device of Home Assistant
package struct MQTTTopics: Hashable, Sendable {
    package static let sharesMax = 32
    package static let alertingMax = 32
    package static let ownTracksMax = 16
    static let bytesMax = 200

    private let prefix: String
    private let discoveryPrefix: String

    package init(_ settings: Configuration.MQTT) {
        prefix = settings.prefix
        discoveryPrefix = settings.discoveryPrefix
    }

    package var status: String { "\(prefix)/status" }

    /// Filter of the state topics of all shares.
    package var allStates: String { "\(prefix)/+/state" }

    /// Filter of the topics of all alerts.
    package var allAlerts: String { "\(prefix)/+/alert/+" }

    /// Name of this client at the broker. Two daemons with the same topics cannot both be connected.
    package var clientID: String { "pulsecast-" + Self.part(prefix) }

    /// - Parameter part: ``part(_:)`` of the share's name.
    /// - Returns: The topic of what the share shows.
    package func state(_ part: String) -> String { "\(prefix)/\(part)/state" }

    /// The share's part of a state topic; `nil`: another topic.
    package func part(ofState topic: String) -> String? {
        guard topic.hasPrefix(prefix + "/"), topic.hasSuffix("/state") else { return nil }
        let part = topic.dropFirst(prefix.count + 1).dropLast("/state".count)
        return part.isEmpty || Self.part(String(part)) != part ? nil : String(part)
    }

    /// The topic of a device's alerts of one kind; `part` is ``part(_:)`` of the device's name.
    package func alert(_ kind: String, of part: String) -> String {
        "\(prefix)/\(part)/alert/\(kind)"
    }

    /// The device's part of a topic of alerts, and the kind; `nil`: another topic.
    package func place(ofAlert topic: String) -> (part: String, kind: String)? {
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let words = topic.dropFirst(prefix.count + 1).split(
            separator: "/", omittingEmptySubsequences: false)
        guard words.count == 3, words[1] == "alert" else { return nil }
        let part = String(words[0])
        // No other topic is the daemon's own.
        guard !part.isEmpty, Self.part(part) == part, part.lowercased() == part else { return nil }
        return (part, String(words[2]))
    }

    /// Home Assistant's name of a share.
    package func identifier(_ part: String) -> String { Self.part(prefix) + "_" + part }

    /// The topic that announces a share to Home Assistant; `nil`: nothing is announced.
    package func discovery(_ part: String) -> String? {
        discoveryPrefix.isEmpty ? nil : "\(discoveryPrefix)/device/\(identifier(part))/config"
    }

    /// A share's name as a part of topics: Home Assistant takes letters, digits, `-` and `_`.
    package static func part(_ name: String) -> String {
        String(
            name.map { letter in
                letter.isASCII && (letter.isLetter || letter.isNumber || letter == "_")
                    ? letter : "-"
            })
    }

    // MARK: Checks

    static func isPlain(_ topic: String) -> Bool {
        !topic.isEmpty && topic.utf8.count <= bytesMax && !topic.hasPrefix("$")
            && !topic.hasPrefix("/") && !topic.hasSuffix("/")
            && !topic.unicodeScalars.contains { "+# ".unicodeScalars.contains($0) || $0.value < 32 }
    }

    static func areSharesAllowed(_ names: [String]) -> Bool {
        // An ID is a secret, and topics are not.
        names.count <= sharesMax && haveOwnParts(names) && names.allSatisfy { ShareID($0) == nil }
    }

    static func areAlertingAllowed(_ devices: [String]) -> Bool {
        devices.count <= alertingMax && haveOwnParts(devices)
    }

    /// Whether each name has a part of topics of its own.
    private static func haveOwnParts(_ names: [String]) -> Bool {
        let parts = names.map { part($0).lowercased() }
        return Set(parts).count == parts.count
            && parts.allSatisfy { part in part.contains { $0 != "-" } }
            && names.allSatisfy { $0.utf8.count <= bytesMax }
    }

    static func isOwnTracksAllowed(_ lines: [String]) -> Bool {
        let sources = lines.compactMap(OwnTracksSource.init)
        return sources.count == lines.count && lines.count <= ownTracksMax
            && Set(sources.map(\.topic)).count == lines.count
    }
}
