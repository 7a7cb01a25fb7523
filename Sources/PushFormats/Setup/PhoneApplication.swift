/// An application that can send as a device and be set up by a link or by steps.
public enum PhoneApplication: Hashable, Sendable, CaseIterable {
    /// The daemon's own page `/record`, which needs no installation.
    case browser
    case push(PushFormat)

    public static let allCases = [PhoneApplication.browser] + PushFormat.allCases.map(Self.push)

    /// Finds an application by its usual name in any spelling: `browser`, `Sensor Logger`.
    public init?(named name: String) {
        if name.lowercased() == PhoneApplication.browser.name {
            self = .browser
        } else if let format = PushFormat(application: name) {
            self = .push(format)
        } else {
            return nil
        }
    }

    /// The name in requests and answers.
    public var name: String {
        switch self {
        case .browser: "browser"
        case .push(let format): format.rawValue
        }
    }
}
