/// A page with words of its own for each request.
struct FilledPage: Sendable {
    /// The page's bytes and, at each odd place, the name of a word.
    private let parts: [ArraySlice<UInt8>]

    /// A character that no page contains.
    private static let mark: UInt8 = 1

    /// - Parameters:
    ///   - page: The page.
    ///   - words: Names of the words; the page has each of them.
    ///   - renderer: What fills everything else.
    init(_ page: PageCatalog.Page, words: some Sequence<String>, _ renderer: PageRenderer) {
        let sign = String(UnicodeScalar(Self.mark))
        let marked = Dictionary(uniqueKeysWithValues: words.map { ($0, sign + $0 + sign) })
        parts = renderer.html(page, words: marked).split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == Self.mark })
        precondition(parts.count > 1, "\(page) has words of its own")
    }

    /// - Parameter words: Texts by their names.
    /// - Returns: HTML for one request.
    func html(_ words: [String: String]) -> [UInt8] {
        var html: [UInt8] = []
        for (index, part) in parts.enumerated() {
            guard !index.isMultiple(of: 2) else {
                html += part
                continue
            }
            let text = words[String(decoding: part, as: UTF8.self)] ?? ""
            html += Array(PageTemplate.escaped(text).utf8)
        }
        return html
    }
}
