import Foundation
import Registry
import SensorModel
import Transport

/// Something that is kept of a device: what a route answers, and a file of the archive.
struct OwnDocument: Sendable {
    /// Fields that the archive leaves out: who knows the address of a link, a receiver or a target
    /// can use it, and an archive is passed on.
    private static let keys: Set = ["url", "address"]

    /// Path of the route below `/v1/me`.
    let path: String
    /// Name of the file.
    let name: String
    let subject: OwnerRoutes.Subject
    let answer: @Sendable (Device) throws -> HTTPResponse

    init(
        _ path: String, _ name: String, _ subject: OwnerRoutes.Subject,
        _ answer: @escaping @Sendable (Device) throws -> HTTPResponse
    ) {
        (self.path, self.name, self.subject) = (path, name, subject)
        self.answer = answer
    }

    /// Returns the bytes of the file; `nil`: there is nothing to keep. Reads the registry.
    func bytes(of device: Device) throws -> [UInt8]? {
        do {
            guard case .bytes(let bytes) = try answer(device).body else {
                preconditionFailure("\(path) is no document but a stream")
            }
            return name.hasSuffix(".json") ? try Self.withoutKeys(bytes) : bytes
        } catch APIRefusal.notFound {
            return nil
        }
    }

    private static func withoutKeys(_ json: [UInt8]) throws -> [UInt8] {
        let value = try JSONSerialization.jsonObject(with: Data(json))
        let data = try JSONSerialization.data(
            withJSONObject: withoutKeys(value), options: [.sortedKeys, .withoutEscapingSlashes])
        return Array(data) + [UInt8(ascii: "\n")]
    }

    private static func withoutKeys(_ value: Any) -> Any {
        switch value {
        case let list as [Any]: list.map(withoutKeys)
        case let object as [String: Any]:
            object.filter { !keys.contains($0.key) }.mapValues(withoutKeys)
        default: value
        }
    }
}
