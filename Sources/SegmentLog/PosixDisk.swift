/// A folder of the file system.
public struct PosixDisk {
    let path: String

    /// - Parameter path: Must exist.
    public init(path: String) {
        self.path = path
    }
}
