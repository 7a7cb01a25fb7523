import Foundation

/// Reads configuration from where the owner keeps it.
public enum ConfigurationFiles {
    /// A loader with the file and the environment in it; flags come on top.
    ///
    /// - Parameters:
    ///   - file: The one asked for; `nil` reads the default one where it exists.
    ///   - environment: `nil`: the process's own.
    /// - Returns: A loader; errors inside the file are in it.
    /// - Throws: ``ConfigurationError/unreadable(file:reason:)`` when a file asked for is missing.
    public static func loader(
        file: String?, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> ConfigurationLoader {
        var loader = ConfigurationLoader()
        let path = file ?? ConfigurationLoader.defaultFile
        if file != nil || FileManager.default.fileExists(atPath: path) {
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
