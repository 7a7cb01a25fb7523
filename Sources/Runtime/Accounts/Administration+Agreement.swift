import Logging
package import Registry
import SegmentLog
import SensorModel

/// Disagreements between registry and log after one of them was restored or lost.
package struct Agreement: Codable, Hashable, Sendable {
    package struct Orphans: Codable, Hashable, Sendable {
        /// A number that no registered device has.
        package var number: UInt32
        package var sessions: Int
    }

    package struct OlderSessions: Codable, Hashable, Sendable {
        package var device: String
        /// Sessions that arrived before the device was added.
        package var sessions: Int
    }

    package var logEpoch: UInt32
    /// Epoch of the log with which the registry was used.
    package var registryEpoch: UInt32?
    package var orphans: [Orphans]
    package var older: [OlderSessions]
    /// Sessions with results in the registry that the log lacks, in whole or in part.
    package var missing = 0

    package var isSameLog: Bool { registryEpoch == nil || registryEpoch == logEpoch }
}

extension Administration {
    /// Tolerance for a clock that was set back: the session still belongs to the device.
    private static let clockSeconds = 3600.0

    /// The whole comparison, which reads all results of the registry.
    ///
    /// - Throws: ``RegistryError``
    package func agreement() throws(RegistryError) -> Agreement {
        var agreement = try agreementOfDevices()
        agreement.missing = try results.lacking().count
        return agreement
    }

    private func agreementOfDevices() throws(RegistryError) -> Agreement {
        let devices = accounts.devices
        let registered = Set(devices.map(\.id))
        let orphans = catalog.counts.filter { !registered.contains($0.key) }
            .map { Agreement.Orphans(number: $0.key.rawValue, sessions: $0.value) }
            .sorted { $0.number < $1.number }
        let older = devices.compactMap { device -> Agreement.OlderSessions? in
            let before = device.createdAt.advanced(bySeconds: -Self.clockSeconds)
            let count = catalog.count(of: device.id, arrivedBefore: before)
            return count == 0 ? nil : .init(device: device.name, sessions: count)
        }
        return Agreement(
            logEpoch: log.epoch, registryEpoch: try accounts.registry.logEpoch(),
            orphans: orphans, older: older)
    }

    /// Declares that this log and this registry belong together from now on.
    package func acceptLog() throws(RegistryError) {
        try accounts.registry.setLogEpoch(log.epoch)
        try results.acceptLog()
        logger.notice("the log is accepted as the registry's")
    }

    /// Reserves the device numbers found in the log and logs disagreements; runs at start.
    package func reconcileWithLog() throws(RegistryError) {
        if let highest = catalog.highestDevice {
            try accounts.registry.reserveDeviceNumbers(through: highest)
        }
        let agreement = try agreementOfDevices()
        if agreement.registryEpoch == nil { try accounts.registry.setLogEpoch(log.epoch) }
        if !agreement.isSameLog {
            logger.log(
                .registryDisagrees, .warning,
                "the log is not the one that the registry was used with; see pulsecast doctor",
                [
                    "logEpoch": "\(agreement.logEpoch)",
                    "registryEpoch": "\(agreement.registryEpoch ?? 0)",
                ])
        }
        let sessions = agreement.orphans.reduce(0) { $0 + $1.sessions }
        guard sessions > 0 else { return }
        logger.log(
            .registryDisagrees, .warning,
            "the log has sessions of devices that are not registered; see pulsecast doctor",
            ["sessions": "\(sessions)", "devices": "\(agreement.orphans.count)"])
    }

    /// Compares results with the log; runs after a start, before results are computed.
    ///
    /// - Returns: Whether it is done; it is tried again otherwise.
    package func reconcileResults() -> Bool {
        do throws(RegistryError) {
            let lacking = try results.reconcile()
            guard !lacking.isEmpty else { return true }
            logger.log(
                .registryDisagrees, .warning,
                "the log lacks sessions that the registry knows; see pulsecast doctor",
                ["sessions": "\(lacking.count)"])
            return true
        } catch {
            logger.warning("results cannot be compared with the log yet: \(error)")
            return false
        }
    }
}
