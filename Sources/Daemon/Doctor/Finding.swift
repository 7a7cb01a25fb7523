/// One result of the doctor.
public struct Finding: Hashable, Sendable, Encodable {
    public enum Verdict: String, Hashable, Sendable, Encodable {
        case fine
        /// It works now and may fail later.
        case warning
        /// The daemon cannot start, or it loses or exposes something.
        case problem
    }

    public let check: String
    public let verdict: Verdict
    /// The observation.
    public let found: String
    /// The remedy; empty if all is well.
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
