/// What the doctor says of one thing.
public struct Finding: Hashable, Sendable, Encodable {
    public enum Verdict: String, Hashable, Sendable, Encodable {
        case fine
        /// It works, and will not always.
        case warning
        /// The daemon cannot start, or loses or exposes something.
        case problem
    }

    public let check: String
    public let verdict: Verdict
    /// What was seen.
    public let found: String
    /// What to do; empty where all is fine.
    public let advice: String

    static func fine(_ check: String, _ found: String) -> Self {
        Self(check: check, verdict: .fine, found: found, advice: "")
    }

    static func warning(_ check: String, _ found: String, do advice: String) -> Self {
        Self(check: check, verdict: .warning, found: found, advice: advice)
    }

    static func problem(_ check: String, _ found: String, do advice: String) -> Self {
        Self(check: check, verdict: .problem, found: found, advice: advice)
    }
}
