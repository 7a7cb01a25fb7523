package import SensorModel
import Synchronization

/// Memory of all exports together, from their reading to the last byte that is sent. Any thread.
///
/// A reader who does not read holds its export for minutes. So one device never takes all of it.
package final class ExportBudget: Sendable {
    package static let bytesMax = 80 << 20
    /// What the exports of one device may take: one of about 30 hours with a position and a heart rate
    /// a second, 25 as TCX.
    package static let deviceBytesMax = 64 << 20
    /// Exports of one device at once.
    package static let deviceCountMax = 8

    private let bytesMax: Int
    private let deviceBytesMax: Int

    private struct State {
        var bytes = 0
        var devices: [DeviceID: (bytes: Int, count: Int)] = [:]
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - bytesMax: Bytes of all exports together; fewer in tests.
    ///   - deviceBytesMax: Bytes of one device's.
    package init(
        bytesMax: Int = ExportBudget.bytesMax, deviceBytesMax: Int = ExportBudget.deviceBytesMax
    ) {
        self.bytesMax = bytesMax
        self.deviceBytesMax = deviceBytesMax
    }

    /// Bytes that are taken, for tests.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// - Throws: ``ReadRefusal/tooMany`` if the device has too many exports.
    package func begin(_ device: DeviceID) throws(ReadRefusal) -> Reservation {
        let hasRoom = state.withLock { state in
            let count = state.devices[device]?.count ?? 0
            guard count < Self.deviceCountMax else { return false }
            state.devices[device, default: (0, 0)].count += 1
            return true
        }
        guard hasRoom else { throw .tooMany }
        return Reservation(self, device)
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

    fileprivate func end(_ device: DeviceID) {
        state.withLock { state in
            state.devices[device]?.count -= 1
            if state.devices[device]?.count == 0 { state.devices[device] = nil }
        }
    }

    /// What one export takes. Returned when it is released.
    package final class Reservation: Sendable {
        private let budget: ExportBudget
        private let device: DeviceID
        private let bytes = Mutex(0)

        /// Memory is taken in steps of this size, so that few rows take the lock.
        private static let stepBytes = 256 << 10

        fileprivate init(_ budget: ExportBudget, _ device: DeviceID) {
            self.budget = budget
            self.device = device
        }

        deinit {
            bytes.withLock { _ = budget.change(-$0, of: device) }
            budget.end(device)
        }

        /// Reads what may be held in memory.
        ///
        /// - Parameter body: Receives a check of the bytes so far, which ends the reading with
        ///   `false`; returns `nil` when it was ended by that, or cancelled.
        /// - Returns: What the body has read.
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

        /// Sets what the export takes.
        ///
        /// - Returns: Why it may not take as much, ``ReadRefusal/tooLong`` if no export may;
        ///   nothing changes then.
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
