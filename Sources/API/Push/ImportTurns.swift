import SensorModel
import Synchronization

/// Runs one import of a device at a time: two of the same file would not detect each other. Any
/// thread.
package final class ImportTurns: Sendable {
    private let devices = Mutex(Set<DeviceID>())

    /// - Throws: ``APIRefusal`` while another import of the device runs, and errors of `work`.
    func run<Result>(
        for device: DeviceID, _ work: () async throws -> Result
    ) async throws -> Result {
        guard devices.withLock({ $0.insert(device).inserted }) else {
            throw APIRefusal.tooMany(
                "another file of this device is being taken: send this one after it",
                retryAfterSeconds: 1)
        }
        defer { _ = devices.withLock { $0.remove(device) } }
        return try await work()
    }
}
