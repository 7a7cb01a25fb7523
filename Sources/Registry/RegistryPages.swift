/// Pages of `registry.sqlite` that commits changed.
///
/// A copy of the file becomes the same database again: each page is written at its position, then
/// the file's size is set. The copy needs no file beside it. The same pages may be written
/// repeatedly, also over newer ones, if all later pages follow in order.
public struct RegistryPages: Hashable, Sendable {
    public struct Page: Hashable, Sendable {
        /// Offset in the file, in bytes.
        public var position: Int
        public var bytes: [UInt8]

        public init(position: Int, bytes: [UInt8]) {
            self.position = position
            self.bytes = bytes
        }
    }

    /// In ascending order of their positions, each within ``fileBytes``.
    public var pages: [Page]
    /// Size of the file after the last of the commits.
    public var fileBytes: Int

    public init(pages: [Page], fileBytes: Int) {
        self.pages = pages
        self.fileBytes = fileBytes
    }

    /// - Parameters:
    ///   - bytes: Pages by position.
    ///   - fileBytes: Size of the file; pages beyond it are left out.
    init(_ bytes: [Int: [UInt8]], fileBytes: Int) {
        pages = bytes.filter { $0.key < fileBytes }.sorted { $0.key < $1.key }
            .map { Page(position: $0.key, bytes: $0.value) }
        self.fileBytes = fileBytes
    }
}

/// Decides whether a registry may change, and is given each change.
///
/// The registry calls it on its queue, one call at a time. A call may block; the registry's other
/// callers then wait. It must not call the registry.
public protocol RegistryObserver: Sendable {
    /// Called before a change begins.
    ///
    /// - Throws: Why no change is accepted. The change is refused with this error, and nothing is
    ///   written.
    func requireReady() throws(RegistryError)

    /// Called directly after a commit, before another one can begin, in the order of commits.
    ///
    /// A new registry file is given with all its pages. An existing file is not: what it has when
    /// the registry is opened is taken as known, also commits of an earlier run that were not given
    /// because the run crashed or opening failed.
    ///
    /// - Parameter pages: The pages of this commit, and of earlier ones for which it threw.
    /// - Throws: Why the pages are not stored elsewhere. They are in the registry's file. The
    ///   caller of the change gets this error, and the next commit gives the pages again.
    func committed(_ pages: RegistryPages) throws(RegistryError)

    /// Called after something was erased: pages of earlier commits still contain it.
    func erased()
}
