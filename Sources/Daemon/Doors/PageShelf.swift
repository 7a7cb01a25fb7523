import Synchronization
import ViewerPages

/// The pages, which take 20 ms of a processor to number and compress: made as soon as the doors are
/// open, and waited for by who asks before.
final class PageShelf: Sendable {
    private let settings: PageSettings
    private let made = Mutex<PageCatalog?>(nil)

    init(_ configuration: Configuration.HTTP) {
        settings = PageSettings(configuration)
    }

    var catalog: PageCatalog {
        made.withLock { made in
            if let made { return made }
            let catalog = PageCatalog(settings: settings)
            made = catalog
            return catalog
        }
    }
}

extension PageSettings {
    fileprivate init(_ configuration: Configuration.HTTP) {
        self.init()
        tileTemplate = configuration.tileURL.isEmpty ? nil : configuration.tileURL
        tileAttribution = configuration.tileAttribution
        publicURL = configuration.publicURL.isEmpty ? nil : configuration.publicURL
        overlayFrameAncestors = configuration.frameAncestors
    }
}
