/// Every page and file the daemon serves to browsers, ready to send.
///
/// Made once at start: names get the hash of their content, so that a browser may keep a file for
/// ever, and everything is compressed. A file's hash covers the names of the files it refers to.
public struct PageCatalog: Sendable {
    public enum Page: String, CaseIterable, Sendable {
        case live, group, overlay, start
        case owner = "me"
        case notFound = "notfound"
    }

    /// Where ``asset(named:)`` is served: this, then the name.
    public static let assetsPath = PageTemplate.assetsPath

    private let pages: [Page: PageAsset]
    private let assets: [String: PageAsset]
    /// From the plain name to the one with the hash.
    private let versionedNames: [String: String]

    public init(settings: PageSettings = PageSettings()) {
        var versions = AssetVersions(sources: PageFiles.assets)
        let built = PageFiles.assets.keys.sorted().map { versions.asset(named: $0) }
        assets = Dictionary(uniqueKeysWithValues: built.map { ($0.name, $0) })
        versionedNames = versions.names
        let fill = PageFilling(settings: settings, versions: versions)
        pages = Dictionary(
            uniqueKeysWithValues: Page.allCases.map { ($0, fill.page($0)) })
    }

    public func page(_ page: Page) -> PageAsset {
        guard let found = pages[page] else {
            preconditionFailure("init makes every page")
        }
        return found
    }

    /// - Parameter name: As it stands in the path, with the hash.
    /// - Returns: `nil` for a name of an older version, too: the page that named it is gone.
    public func asset(named name: String) -> PageAsset? {
        assets[name]
    }

    /// The path of a file by its plain name, as `icon.svg`.
    public func path(of plainName: String) -> String? {
        versionedNames[plainName].map { Self.assetsPath + $0 }
    }
}
