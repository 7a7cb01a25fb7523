/// A form as `multipart/form-data` (RFC 7578).
struct MultipartForm: Sendable {
    /// Separates the parts; no part contains it by chance.
    private let boundary: String
    /// The parts so far.
    private(set) var bytes: [UInt8] = []

    init(boundary: String) {
        self.boundary = boundary
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// - Parameters:
    ///   - name: ASCII without quotes.
    ///   - value: The field's text.
    mutating func append(_ name: String, _ value: String) {
        bytes += Array("\(head(name))\r\n\r\n\(value)".utf8)
    }

    /// Begins the last part, whose bytes follow ``bytes`` and come before ``end``.
    mutating func beginFile(named name: String, type: String) {
        bytes += Array(
            "\(head("file")); filename=\"\(name)\"\r\nContent-Type: \(type)\r\n\r\n".utf8)
    }

    /// What follows the last part's bytes.
    var end: [UInt8] { Array("\r\n--\(boundary)--\r\n".utf8) }

    private func head(_ name: String) -> String {
        // The line end before a boundary belongs to it, and not to the part before.
        let start = bytes.isEmpty ? "" : "\r\n"
        return "\(start)--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
    }
}
