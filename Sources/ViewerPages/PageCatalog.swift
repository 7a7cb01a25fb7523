/// Every page and file that the daemon serves to browsers, ready to send.
///
/// It is built once at start. Names contain the hash of their content, so that a browser may cache
/// a file forever, and all files are compressed. A hash also covers the names of referenced files.
public struct PageCatalog: Sendable {
    public enum Page: String, CaseIterable, Sendable {
        case admin, live, group, overlay, record, start, alert
        case alertTaken = "alerttaken"
        case overlaySetup = "overlaysetup"
        case owner = "me"
        case notFound = "notfound"
    }

    /// Path prefix of ``asset(named:)``; the name follows.
    public static let assetsPath = PageTemplate.assetsPath

    private let pages: [Page: PageAsset]
    private let named: FilledPage
    private let alerts: [Page: FilledPage]
    private let assets: [String: PageAsset]
    /// Versioned names by plain name.
    private let versionedNames: [String: String]

    public init(settings: PageSettings = PageSettings()) {
        var versions = AssetVersions(sources: PageFiles.assets)
        let built = PageFiles.assets.keys.sorted().map { versions.asset(named: $0) }
        assets = Dictionary(uniqueKeysWithValues: built.map { ($0.name, $0) })
        versionedNames = versions.names
        let fill = PageRenderer(settings: settings, versions: versions)
        pages = Dictionary(
            uniqueKeysWithValues: Page.allCases.map { ($0, fill.page($0)) })
        named = FilledPage(.live, words: LinkPreview.ofAnyRun.words.keys, fill)
        alerts = Dictionary(
            uniqueKeysWithValues: [.alert, .alertTaken].map {
                ($0, FilledPage($0, words: AlertPage.blank.words.keys, fill))
            })
    }

    /// The live page of a runner with a public name.
    ///
    /// - Parameter preview: Preview for chats, as of this moment.
    /// - Returns: HTML for one request, with the headers of the live page.
    public func livePage(_ preview: LinkPreview) -> [UInt8] { named.html(preview.words) }

    /// The page by which a receiver confirms an alert, or that says that nobody has to.
    ///
    /// - Parameters:
    ///   - page: ``Page/alert`` or ``Page/alertTaken``.
    ///   - alert: The alert, as of this moment; `nil`: nothing is known of it.
    /// - Returns: HTML for one request, with the headers of the page.
    public func alertPage(_ page: Page, _ alert: AlertPage?) -> [UInt8] {
        alerts[page]?.html((alert ?? .blank).words) ?? []
    }

    public func page(_ page: Page) -> PageAsset {
        guard let found = pages[page] else {
            preconditionFailure("init makes every page")
        }
        return found
    }

    /// - Parameter name: Name in the path, with the hash.
    /// - Returns: `nil` for an unknown name or an older version, whose page is gone.
    public func asset(named name: String) -> PageAsset? {
        assets[name]
    }

    /// The path of a file by its plain name, as `icon.svg`.
    public func path(of plainName: String) -> String? {
        versionedNames[plainName].map { Self.assetsPath + $0 }
    }
}
