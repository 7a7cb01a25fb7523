import Foundation

/// A folder of its own, empty, for as long as it is needed.
enum ScratchFolder {
    /// - Parameters:
    ///   - name: In `parent`; what is there is removed.
    ///   - parent: On the disk to be measured.
    ///   - body: Gets the folder's path.
    /// - Returns: What `body` returns.
    static func with<Result>(
        _ name: String, in parent: String, _ body: (_ path: String) -> Result
    ) -> Result {
        let path = parent + "/" + name
        try? FileManager.default.removeItem(atPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return body(path)
    }
}
