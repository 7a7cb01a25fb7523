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
}

/// The live page of a runner with a public name, with a preview for each request.
struct PreviewedPage: Sendable {
    /// The page's bytes before, between and after title and text.
    private let parts: [ArraySlice<UInt8>]

    /// Two characters that no page contains.
    private static let marks = LinkPreview(title: "\u{1}", text: "\u{2}")

    init(_ renderer: PageRenderer) {
        parts = renderer.html(.live, preview: Self.marks).split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == 1 || $0 == 2 })
        precondition(parts.count == 3, "live.html has one title and one text")
    }

    func html(_ preview: LinkPreview) -> [UInt8] {
        let texts = [preview.title, preview.text].map { Array(PageTemplate.escaped($0).utf8) }
        return Array(
            [Array(parts[0]), texts[0], Array(parts[1]), texts[1], Array(parts[2])].joined())
    }
}
