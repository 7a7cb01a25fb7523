import Client
import Foundation
import Transport

extension AdminOptions {
    /// Writes an answer into a new file, part by part. What did not come whole is removed.
    ///
    /// - Parameters:
    ///   - path: Path of the request; the caller percent-encodes its segments.
    ///   - file: The file; only its owner can read it.
    /// - Returns: Its bytes.
    /// - Throws: ``CommandFailure``
    func save(_ path: String, to file: String) async throws -> Int {
        let parts = try await first { client throws(ClientError) in
            try await client.stream(.get, path)
        }
        var refused: (status: Int, body: [UInt8])?
        var handle: FileHandle?
        var count = 0
        do {
            for try await part in parts {
                switch part {
                case .head(let status, _) where (200..<300).contains(status):
                    handle = try ExportCommand.create(file)
                case .head(let status, _): refused = (status, [])
                case .bytes(let bytes) where refused != nil: refused?.body += bytes
                case .bytes(let bytes):
                    count += bytes.count
                    try handle?.write(contentsOf: Data(bytes))
                }
            }
            try handle?.synchronize()
        } catch {
            if handle != nil { try? FileManager.default.removeItem(atPath: file) }
            if let failure = error as? CommandFailure { throw failure }
            throw CommandFailure("\(file) could not be written whole, and is removed: \(error)")
        }
        if let refused { throw Self.refusal(refused.status, refused.body) }
        guard handle != nil else { throw CommandFailure("the daemon did not answer: try again") }
        return count
    }
}
