/// The words of the page by which a receiver confirms an alert.
public struct AlertPage: Sendable {
    /// Kind of the alert, by which a script finds the words of another language.
    public let alert: String
    public let runner: String
    /// Who has which trouble.
    public let what: String
    /// Seconds since 1970, and a clock's text; `nil`: it is not told.
    public let since: (seconds: Double, text: String)?
    /// Receiver that takes care; `nil`: nobody yet.
    public let confirmedBy: String?
    public let isOver: Bool

    public init(
        alert: String, runner: String, what: String, since: (seconds: Double, text: String)?,
        confirmedBy: String?, isOver: Bool
    ) {
        self.alert = alert
        self.runner = runner
        self.what = what
        self.since = since
        self.confirmedBy = confirmedBy
        self.isOver = isOver
    }

    /// The page of an alert of which nothing is known.
    static let blank = AlertPage(
        alert: "", runner: "", what: "Somebody needs you", since: nil, confirmedBy: nil,
        isOver: false)

    /// By the page's placeholders.
    var words: [String: String] {
        [
            "alert-kind": alert, "alert-runner": runner, "alert-what": what,
            "alert-since": since.map { "Since \($0.text)." } ?? "",
            "alert-seconds": since.map { "\($0.seconds)" } ?? "",
            "alert-by": confirmedBy ?? "",
            "alert-state": confirmedBy.map { "\($0) takes care of it, and the runner is told." }
                ?? (isOver ? "It is over." : ""),
        ]
    }
}
