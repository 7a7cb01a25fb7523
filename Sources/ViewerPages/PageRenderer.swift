/// Fills the placeholders in a page's HTML.
struct PageRenderer {
    let settings: PageSettings
    let versions: AssetVersions

    func page(_ page: PageCatalog.Page) -> PageAsset {
        PageAsset(
            name: "", contentType: "text/html; charset=utf-8", bytes: html(page),
            headers: headers(of: page))
    }

    /// - Parameters:
    ///   - page: The page.
    ///   - words: Words that differ from request to request.
    /// - Returns: The page, filled.
    func html(
        _ page: PageCatalog.Page,
        words: [String: String] = LinkPreview.ofAnyRun.words.merging(AlertPage.blank.words) { $1 }
    ) -> [UInt8] {
        let template = PageTemplate(source: PageFiles.html(page.rawValue))
        return template.filled(
            reference: { versions.names[$0] },
            placeholder: { placeholder($0, words, needs: template.references()) })
    }

    func headers(of page: PageCatalog.Page) -> [(String, String)] {
        let policy =
            switch page {
            case .overlay: ContentSecurityPolicy.overlay(settings)
            case .overlaySetup: ContentSecurityPolicy.overlaySetup()
            default: ContentSecurityPolicy.page(settings)
            }
        return [
            ("Cache-Control", "no-store"), ("Content-Security-Policy", policy),
            ("Permissions-Policy", PermissionsPolicy.header(for: page)),
        ]
    }

    private func placeholder(
        _ word: String, _ words: [String: String], needs references: [String]
    ) -> String? {
        switch word {
        case "modules": modules(references)
        case "preview": previewImage()
        case "tiles": tiles()
        default: words[word].map(PageTemplate.escaped)
        }
    }

    /// Preload links for all modules; otherwise the browser would discover them one by one.
    private func modules(_ references: [String]) -> String {
        versions.closure(of: references.filter { $0.hasSuffix(".js") })
            .compactMap { versions.names[$0] }
            .map { "<link rel=\"modulepreload\" href=\"\(PageTemplate.assetsPath)\($0)\">" }
            .joined(separator: "\n")
    }

    /// Image of a link's preview in chats: the same for every share.
    private func previewImage() -> String {
        guard let base = settings.publicURL, let icon = versions.names["icon.png"] else {
            return ""
        }
        let address = PageTemplate.escaped(base + PageTemplate.assetsPath + icon)
        return "<meta property=\"og:image\" content=\"\(address)\">"
    }

    private func tiles() -> String {
        guard let template = settings.tileTemplate, settings.tileOrigin != nil else { return "" }
        return """
            <meta name="pulsecast-tiles" content="\(PageTemplate.escaped(template))" \
            data-attribution="\(PageTemplate.escaped(settings.tileAttribution))">
            """
    }
}
