package import SensorModel
import Synchronization

/// Memory budget of all exports, from reading a session to sending the last byte. Any thread.
///
/// A client that reads slowly holds its export for minutes, so no device may take the whole budget.
package final class ExportBudget: Sendable {
    package static let bytesMax = 80 << 20
    /// Bytes for the exports of one device. One export of about 30 hours with a position and a
    /// heart rate a second fits, or of 25 hours as TCX.
    package static let deviceBytesMax = 64 << 20
    /// Exports of one device at once.
    package static let deviceCountMax = 8
    /// Archives of one device at once. Each takes an export for a session at a time, too, so they
    /// are counted apart: archives that wait for each other's exports would never end.
    package static let deviceArchivesMax = 2

    private let bytesMax: Int
    private let deviceBytesMax: Int

    private struct State {
        var bytes = 0
        var devices: [DeviceID: Use] = [:]
    }

    private struct Use {
        var bytes = 0
        var exports = 0
        var archives = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - bytesMax: Bytes of all exports together; fewer in tests.
    ///   - deviceBytesMax: Bytes of the exports of one device.
    package init(
        bytesMax: Int = ExportBudget.bytesMax, deviceBytesMax: Int = ExportBudget.deviceBytesMax
    ) {
        self.bytesMax = bytesMax
        self.deviceBytesMax = deviceBytesMax
    }

    /// Bytes in use; for tests.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// - Parameters:
    ///   - device: The device.
    ///   - isArchive: Whether it is an archive of the device, and no single export.
    /// - Returns: The reservation, of no memory yet.
    /// - Throws: ``ReadRefusal/tooMany`` if the device has too many exports.
    package func begin(
        _ device: DeviceID, isArchive: Bool = false
    ) throws(ReadRefusal) -> Reservation {
        let hasRoom = state.withLock { state in
            var use = state.devices[device] ?? Use()
            guard
                isArchive
                    ? use.archives < Self.deviceArchivesMax : use.exports < Self.deviceCountMax
            else { return false }
            use.archives += isArchive ? 1 : 0
            use.exports += isArchive ? 0 : 1
            state.devices[device] = use
            return true
        }
        guard hasRoom else { throw .tooMany }
        return Reservation(self, device, isArchive: isArchive)
    }

    fileprivate func change(_ change: Int, of device: DeviceID) -> ReadRefusal? {
        state.withLock { state in
            let own = (state.devices[device]?.bytes ?? 0) + change
            guard change <= 0 || own <= deviceBytesMax else { return .tooMany }
            guard change <= 0 || state.bytes + change <= bytesMax else { return .busy }
            state.bytes += change
            state.devices[device]?.bytes = own
            return nil
        }
    }

    fileprivate func end(_ device: DeviceID, isArchive: Bool) {
        state.withLock { state in
            guard var use = state.devices[device] else { return }
            use.archives -= isArchive ? 1 : 0
            use.exports -= isArchive ? 0 : 1
            state.devices[device] = use.exports + use.archives > 0 ? use : nil
        }
    }

    /// Memory reserved for one export; it returns to the budget when this object is released.
    package final class Reservation: Sendable {
        private let budget: ExportBudget
        private let device: DeviceID
        private let isArchive: Bool
        private let bytes = Mutex(0)

        /// Step in which memory is reserved, so that few rows take the lock.
        private static let stepBytes = 256 << 10

        fileprivate init(_ budget: ExportBudget, _ device: DeviceID, isArchive: Bool) {
            self.budget = budget
            self.device = device
            self.isArchive = isArchive
        }

        deinit {
            bytes.withLock { _ = budget.change(-$0, of: device) }
            budget.end(device, isArchive: isArchive)
        }

        /// Runs a reading within the budget.
        ///
        /// - Parameter body: Receives a check to call with the bytes so far; `false` ends the
        ///   reading. Returns `nil` if the check ended it, or if it was cancelled.
        /// - Returns: The result of `body`.
        /// - Throws: ``ReadRefusal``, and errors of the body.
        package func reading<Result>(
            _ body: (_ hasRoom: (Int) -> Bool) throws -> Result?
        ) throws -> Result {
            var refusal: ReadRefusal?
            let result = try body { bytes in
                refusal = take(bytes)
                return refusal == nil
            }
            guard let result else { throw refusal ?? ReadRefusal.cancelled }
            return result
        }

        /// Sets the reserved memory of the export.
        ///
        /// - Returns: Reason for a refusal, ``ReadRefusal/tooLong`` if no export may take as much;
        ///   nothing changes then. `nil`: reserved.
        package func take(_ count: Int) -> ReadRefusal? {
            bytes.withLock { bytes in
                let wanted = (count + Self.stepBytes - 1) / Self.stepBytes * Self.stepBytes
                guard wanted != bytes else { return nil }
                guard wanted <= budget.deviceBytesMax else { return .tooLong }
                if let refusal = budget.change(wanted - bytes, of: device) { return refusal }
                bytes = wanted
                return nil
            }
        }
    }
}
