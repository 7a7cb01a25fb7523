import Foundation
import Testing

@testable import ViewerPages

@Suite struct PageCatalogTests {
    private static let catalog = PageCatalog()
    private static let resources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/ViewerPages/Resources")

    /// Compressed bytes a page costs with everything it loads.
    private static func transferBytesMax(_ page: PageCatalog.Page) -> Int {
        (page == .record ? 80 : 100) * 1024
    }

    @Test func `Every file of the folder is in the list, and nothing else`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.resources.path)
        #expect(Set(files) == Set(PageFiles.all.keys))
        for name in files {
            let bytes = try Data(contentsOf: Self.resources.appending(path: name))
            let isEmbedded = PageFiles.all[name] == Array(bytes)
            #expect(isEmbedded, "\(name)")
        }
        #expect(PageCatalog.Page.allCases.allSatisfy { !PageFiles.html($0.rawValue).isEmpty })
    }

    @Test(arguments: PageCatalog.Page.allCases)
    func `Everything a page refers to is there under the name it uses`(page: PageCatalog.Page) {
        for name in Self.assetNames(in: Self.text(of: page)) {
            #expect(Self.catalog.asset(named: name) != nil, "\(name)")
        }
    }

    @Test(arguments: PageCatalog.Page.allCases)
    func `A page holds no placeholder, no script of its own and no address elsewhere`(
        page: PageCatalog.Page
    ) {
        let text = Self.text(of: page)
        #expect(!text.contains("{{"))
        #expect(!text.contains("style=\""))
        #expect(text.firstMatch(of: /<script(?![^>]*src=)/) == nil)
        #expect(text.firstMatch(of: /\son[a-z]+=/) == nil)
        #expect(text.firstMatch(of: /(https?:)?\/\/[a-z]/) == nil)
    }

    @Test(arguments: PageFiles.assets.keys.sorted())
    func `A file names no other site, and only files that are there`(name: String) {
        let text = String(decoding: PageFiles.assets[name] ?? [], as: UTF8.self)
        guard !name.hasSuffix(".png") else { return }
        let foreign = text.matches(of: /https?:\/\/[a-z0-9.]+/).map { String($0.output) }
        #expect(foreign.allSatisfy { $0.hasSuffix("://www.w3.org") }, "\(foreign)")
        #expect(text.firstMatch(of: /\.innerHTML|\beval\(|new Function/) == nil)
        for reference in PageTemplate(source: Array(text.utf8)).references() {
            #expect(PageFiles.assets[reference] != nil, "\(reference)")
        }
    }

    @Test(arguments: PageCatalog.Page.allCases)
    func `A page with all it loads fits the budget`(page: PageCatalog.Page) {
        var seen: Set<String> = []
        var waiting = Self.assetNames(in: Self.text(of: page))
        var bytes = Self.catalog.page(page).body(acceptsGzip: true).bytes.count
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let asset = Self.catalog.asset(named: name) else {
                continue
            }
            bytes += asset.body(acceptsGzip: true).bytes.count
            // What is loaded only when it is wanted does not count.
            waiting += Self.assetNames(
                in: String(decoding: asset.bytes, as: UTF8.self)
                    .replacing(/import\("[^"]*"\)/, with: ""))
        }
        #expect(bytes <= Self.transferBytesMax(page), "\(page): \(bytes)")
    }

    @Test func `All modules a page needs are asked for at once`() {
        let text = Self.text(of: .live)
        #expect(text.contains("<link rel=\"modulepreload\" href=\"/assets/format."))
        #expect(text.contains("<link rel=\"modulepreload\" href=\"/assets/protocol."))
    }

    @Test func `A module that is loaded when it is wanted is not asked for before`() throws {
        let text = Self.text(of: .record)
        #expect(text.contains("/assets/outbox."))
        #expect(!text.contains("/assets/sharing.") && !text.contains("/assets/qr."))
        // Its name in the script has the hash of its content all the same.
        let path = try #require(Self.catalog.path(of: "record.js"))
        let script = try #require(
            Self.catalog.asset(named: String(path.dropFirst("/assets/".count))))
        let sharing = try #require(Self.catalog.path(of: "sharing.js")).dropFirst("/assets/".count)
        #expect(
            String(decoding: script.bytes, as: UTF8.self)
                .contains(#"import("./\#(sharing)")"#))
    }

    @Test func `A name changes with the content of a file it refers to`() {
        let first: [String: [UInt8]] = [
            "a.js": Array("import \"./b.js\";".utf8), "b.js": Array("1".utf8),
        ]
        var second = first
        second["b.js"] = Array("2".utf8)
        var (before, after) = (AssetVersions(sources: first), AssetVersions(sources: second))
        #expect(before.asset(named: "a.js").name != after.asset(named: "a.js").name)
        #expect(before.asset(named: "b.js").name != after.asset(named: "b.js").name)
    }

    @Test func `Pages are never kept, files for ever`() {
        #expect(Self.header("Cache-Control", of: Self.catalog.page(.live)) == "no-store")
        let path = Self.catalog.path(of: "live.js") ?? ""
        let asset = Self.catalog.asset(named: String(path.dropFirst("/assets/".count)))
        #expect(asset.map { Self.header("Cache-Control", of: $0) }??.contains("immutable") == true)
    }

    @Test func `A tile server appears in the page and in the policy, and only then`() {
        var settings = PageSettings()
        settings.tileTemplate = "https://tiles.example:8443/{z}/{x}/{y}.png?a=\"&b"
        settings.tileAttribution = "Map <makers>"
        let page = PageCatalog(settings: settings).page(.live)
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(
            text.contains("content=\"https://tiles.example:8443/{z}/{x}/{y}.png?a=&quot;&amp;b\""))
        #expect(text.contains("Map &lt;makers&gt;"))
        let policy = Self.header("Content-Security-Policy", of: page) ?? ""
        #expect(policy.contains("img-src 'self' blob: https://tiles.example:8443;"))
        let plain = Self.header("Content-Security-Policy", of: Self.catalog.page(.live)) ?? ""
        #expect(!plain.contains("http"))
        #expect(!Self.text(of: .live).contains("pulsecast-tiles"))
    }

    @Test(arguments: [
        "tiles.example/{z}", "ftp://tiles.example/", "https:///x", "https://a b/", "https://a;b/",
    ])
    func `What is no web address names no tile server`(template: String) {
        var settings = PageSettings()
        settings.tileTemplate = template
        #expect(settings.tileOrigin == nil)
    }

    @Test(arguments: PageCatalog.Page.allCases)
    func `Only the record page may ask for sensors and radios`(page: PageCatalog.Page) {
        let policy = Self.header("Permissions-Policy", of: Self.catalog.page(page)) ?? ""
        for name in ["geolocation", "accelerometer", "gyroscope", "bluetooth", "screen-wake-lock"] {
            #expect(policy.contains(page == .record ? "\(name)=(self)" : "\(name)=()"), "\(policy)")
        }
        #expect(policy.contains("camera=()") && policy.contains("microphone=()"))
    }

    @Test func `The service worker is a file of its own, which imports nothing`() {
        let path = Self.catalog.path(of: "recordworker.js") ?? ""
        let asset = Self.catalog.asset(named: String(path.dropFirst("/assets/".count)))
        let text = String(decoding: asset?.bytes ?? [], as: UTF8.self)
        #expect(text.contains("addEventListener(\"fetch\""))
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("import ") })
    }

    @Test func `Only the overlay may stand in a frame`() {
        for page in PageCatalog.Page.allCases {
            let policy = Self.header("Content-Security-Policy", of: Self.catalog.page(page)) ?? ""
            #expect(policy.contains("frame-ancestors 'none'") == (page != .overlay))
            #expect(policy.contains("frame-src 'self'") == (page == .overlaySetup))
            #expect(policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test(arguments: [
        ("*", "*"), ("'none'", "'self'"), ("'self' https://a.example", "'self' https://a.example"),
        ("https://a.example", "'self' https://a.example"),
    ])
    func `The page that sets an overlay up may always show it`(sites: String, allowed: String) {
        var settings = PageSettings()
        settings.overlayFrameAncestors = sites
        let policy = ContentSecurityPolicy.overlay(settings)
        #expect(policy.contains("frame-ancestors \(allowed);"))
    }

    private static func text(of page: PageCatalog.Page) -> String {
        String(decoding: catalog.page(page).bytes, as: UTF8.self)
    }

    private static func assetNames(in text: String) -> [String] {
        text.matches(of: /"(?:\/assets\/|\.\/)([A-Za-z0-9.\-]+)"/).map { String($0.1) }
    }

    private static func header(_ name: String, of asset: PageAsset) -> String? {
        asset.headers.first { $0.name == name }?.value
    }
}
