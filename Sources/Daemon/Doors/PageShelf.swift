import Synchronization
import ViewerPages

/// The pages, which take 20 ms of a processor to number and compress: made beside the rest of the
/// start, and waited for by who asks before.
final class PageShelf: Sendable {
    private let settings: PageSettings
    private let made = Mutex<PageCatalog?>(nil)

    init(settings: PageSettings) {
        self.settings = settings
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
