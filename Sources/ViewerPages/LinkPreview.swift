/// Preview of a link to a run, as chats show it.
public struct LinkPreview: Hashable, Sendable {
    public let title: String
    public let text: String

    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// Preview of every link with a secret; it reveals nothing of the runner.
    static let ofAnyRun = LinkPreview(title: "A run, live", text: "Follow a run as it happens.")

    /// By the page's placeholders.
    var words: [String: String] { ["preview-title": title, "preview-text": text] }
}
