import Foundation
import ViewerPages

/// What a receiver was told of an alert, as the page says it by which the receiver confirms. It has
/// no positions, and nothing that the messages to this receiver did not have.
struct AlertNotice: Hashable, Sendable {
    /// Kind of the alert.
    let alert: String
    let runner: String
    /// Who has which trouble.
    let what: String
    /// Seconds since 1970; `nil`: the receiver may not know.
    let since: Double?
    /// The runner's, for a page without scripts.
    let timeZone: String
    /// Whether the receiver was told that it is over.
    let isOver: Bool

    init(_ message: AlertMessage, _ entry: AlertCases.Entry, _ timeZone: String) {
        alert = message.alert
        runner = message.runner
        what = AlertMessage.what(entry.key.topic, message.runner)
        since = message.since
        self.timeZone = timeZone
        isOver = message.phase == .over
    }

    /// The words of the page.
    ///
    /// - Parameters:
    ///   - receiver: The receiver that takes care; `nil`: nobody yet.
    ///   - isOver: Whether it is over; `nil`: as the receiver was told.
    /// - Returns: The words, for ``PageCatalog``.
    func page(confirmedBy receiver: String?, isOver: Bool? = nil) -> AlertPage {
        AlertPage(
            alert: alert, runner: runner, what: what,
            since: since.map { ($0, clock($0)) }, confirmedBy: receiver,
            isOver: isOver ?? self.isOver)
    }

    private func clock(_ seconds: Double) -> String {
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        var style = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: zone)
        style = style.day().month().hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
        return Date(timeIntervalSince1970: seconds).formatted(style)
    }
}
