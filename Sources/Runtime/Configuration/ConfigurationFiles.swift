import Foundation

/// Reads the configuration from the file and the environment.
public enum ConfigurationFiles {
    /// A loader with the file and the environment; flags are added afterwards.
    ///
    /// - Parameters:
    ///   - file: Requested file; `nil` reads the default one if it exists.
    ///   - environment: Environment; `nil`: the process's own.
    /// - Returns: A loader; errors inside the file are in it.
    /// - Throws: ``ConfigurationError/missing(file:)`` when there is no requested file,
    ///   ``ConfigurationError/unreadable(file:reason:)`` when it cannot be read.
    public static func loader(
        file: String?, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> ConfigurationLoader {
        var loader = ConfigurationLoader()
        let path = file ?? ConfigurationLoader.defaultFile
        let exists = FileManager.default.fileExists(atPath: path)
        if file != nil, !exists { throw .missing(file: path) }
        if exists {
            do {
                loader.add(yaml: try String(contentsOfFile: path, encoding: .utf8), path: path)
            } catch {
                throw .unreadable(file: path, reason: (error as NSError).localizedDescription)
            }
        }
        loader.add(environment: environment ?? ProcessInfo.processInfo.environment)
        return loader
    }
}
