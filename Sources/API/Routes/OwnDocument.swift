import Registry
import SensorModel
import Transport

/// Something that is kept of a device: what a route answers, and a file of the archive.
struct OwnDocument: Sendable {
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

    /// Returns the file; `nil`: there is nothing to keep.
    func file(of device: Device) throws -> DeviceArchive.File? {
        do {
            guard case .bytes(let bytes) = try answer(device).body else {
                preconditionFailure("\(path) is no document but a stream")
            }
            return DeviceArchive.File(name: name, bytes: bytes)
        } catch APIRefusal.notFound {
            return nil
        }
    }
}
