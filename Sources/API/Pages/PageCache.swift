package import Runtime
import Synchronization
package import ViewerPages

/// The pages with version numbers, compressed; building them takes 20 ms of a processor.
///
/// They are built as soon as the listeners are open. A request before that waits for them.
package final class PageCache: Sendable {
    private let settings: PageSettings
    private let made = Mutex<PageCatalog?>(nil)

    package init(_ configuration: Configuration.HTTP) {
        settings = PageSettings(configuration)
    }

    package var catalog: PageCatalog {
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
