import Foundation

/// Target of an import request, for clients.
package enum ImportAddress {
    /// Choices for a run that is already recorded.
    package static let duplicates = ImportService.Duplicate.allCases.map(\.rawValue)

    /// - Parameters:
    ///   - name: The file's name, for messages.
    ///   - duplicate: One of ``duplicates``.
    /// - Returns: The path, with its query.
    package static func target(name: String, duplicate: String) -> String {
        let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "file"
        return "/v1/me/import?name=\(name)&duplicate=\(duplicate)"
    }
}
